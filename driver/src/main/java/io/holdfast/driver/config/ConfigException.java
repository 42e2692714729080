package io.holdfast.driver.config;

/** A setting has an invalid value. The message is for the user and names the setting. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }
}
