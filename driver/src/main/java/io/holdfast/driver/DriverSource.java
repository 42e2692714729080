package io.holdfast.driver;

import java.io.IOException;

/** Where a server gets its driver from. */
@FunctionalInterface
public interface DriverSource {
    /**
     * Opens a driver, which serves when this returns.
     *
     * @throws IOException if it cannot, with a reason that can be shown
     */
    Driver open(DriverConfig config) throws IOException;
}
