package io.holdfast.engine.view;

/** The number of holds and of waiters of a session. */
public record SessionUsage(int holds, int waits) {
    public SessionUsage plus(SessionUsage other) {
        return new SessionUsage(holds + other.holds, waits + other.waits);
    }
}
