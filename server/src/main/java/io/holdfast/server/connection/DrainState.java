package io.holdfast.server.connection;

/** Whether the server is shutting down. */
public final class DrainState {
    private volatile boolean on;

    public void begin() {
        on = true;
    }

    public boolean isOn() {
        return on;
    }
}
