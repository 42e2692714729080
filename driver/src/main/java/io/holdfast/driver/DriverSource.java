package io.holdfast.driver;

import java.io.IOException;

/** Opens the driver of a server. */
@FunctionalInterface
public interface DriverSource {
    /**
     * Opens a driver, which accepts sessions when this returns.
     *
     * @throws IOException if that fails, with a message for the user
     */
    Driver open(DriverConfig config) throws IOException;
}
