package io.holdfast.client.wire;

import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.TimerClock;

import org.jspecify.annotations.Nullable;

/**
 * Something to be asked of the server, and what becomes of it whatever happens. All calls come from
 * the session's {@link SerialTaskRunner}.
 */
abstract class TaggedRequest {
    /** Waits without a connection for as long as it takes. */
    static final long NO_TIMEOUT = Long.MAX_VALUE;

    private long tag;
    private boolean repeated;
    private TimerClock.@Nullable Timer timer;
    private int timing;

    /** Of its last sending; 0 if it was never sent. */
    final long tag() {
        return tag;
    }

    final boolean wasSent() {
        return tag != 0;
    }

    final boolean wasRepeated() {
        return repeated;
    }

    /** What was sent has left no trace. */
    final void unsent() {
        tag = 0;
    }

    /** The lines, as of now; called each time it is sent. */
    final String lines(long newTag, long now) {
        repeated = tag != 0;
        tag = newTag;
        return newTag + " " + command() + "\n" + key() + "\n" + argument(now) + "\n";
    }

    /** Ends the timer that is there, if any; a number for the next one. */
    final int stopTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        return ++timing;
    }

    final void startTimer(TimerClock.Timer next) {
        timer = next;
    }

    /** Whether that timer is neither stopped nor replaced. */
    final boolean isTiming(int number) {
        return timing == number;
    }

    abstract String command();

    abstract String key();

    abstract String argument(long now);

    /** The answer without the tag. */
    abstract void answer(String answer) throws BadLineException;

    /** Whether it has nothing to ask for any more; looked at before it is sent. */
    boolean isOver(long now) {
        return false;
    }

    /**
     * The connection ended before the answer.
     *
     * @return whether it stays, to be settled when there is a connection again
     */
    abstract boolean survivesDisconnect(ServiceException why);

    /** How long it may stay so; {@link #NO_TIMEOUT} for ever. */
    abstract long offlineTimeoutNanos(long now, long connectTimeoutNanos);

    /**
     * That time is over, or the server will not have us.
     *
     * @return whether it must still be settled when there is a connection again
     */
    abstract boolean survivesTimeout(ServiceException why);

    /**
     * The session is gone, and with it whatever this got.
     *
     * @return whether it is to be sent in the next session
     */
    abstract boolean survivesSessionLoss();

    /**
     * The session was resumed, and does not know this as a wait or a hold of its own; only for what
     * was sent before.
     *
     * @return whether it is to be sent again
     */
    abstract boolean shouldResend(ResumedState resumedState);

    /** The service was closed. */
    abstract void closed(ServiceException why);
}
