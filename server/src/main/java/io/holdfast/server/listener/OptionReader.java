package io.holdfast.server.listener;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.Namespace;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * The options of a listener as the user gave them. All but {@link #has} mark an option as read; one
 * that the protocol has not read is unknown, which is an error.
 */
public interface OptionReader {
    boolean has(String name);

    /** Null if the option is not given. */
    @Nullable String text(String name);

    /** False if the option is not given. */
    boolean isOn(String name);

    /** Zero if the option is not given; may be negative. */
    Duration duration(String name);

    /** An error about these options, to be thrown. */
    ConfigException invalid(String why);

    /** The option {@code namespace}, which listeners of all protocols have. */
    default Namespace namespace() {
        String name = text("namespace");
        return name == null || name.isEmpty() ? Namespace.DEFAULT : new Namespace(name);
    }
}
