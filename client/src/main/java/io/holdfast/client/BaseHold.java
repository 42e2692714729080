package io.holdfast.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.client.internal.thread.SerialExecutor;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The state machine of a hold: held, then either closed or lost, exactly once. */
abstract class BaseHold implements Hold {
    private enum State {
        HELD,
        LOST,
        CLOSED
    }

    final ClientCore core;
    private final HoldOptions options;
    private final SerialExecutor callbacks;

    @GuardedBy("this")
    private final List<Consumer<LossReason>> actions = new ArrayList<>();

    @GuardedBy("this")
    private @Nullable Consumer<LossReason> internalAction;

    @GuardedBy("this")
    private @Nullable Thread holder;

    @GuardedBy("this")
    private @Nullable LossReason reason;

    @GuardedBy("this")
    private State state = State.HELD;

    BaseHold(ClientCore core, HoldOptions options) {
        this.core = core;
        this.options = options;
        callbacks = SerialExecutor.on(core.callbacks());
    }

    /**
     * Called when the hold is handed to the user: registers the {@code onLost} actions of the
     * options, which also run if the hold has been lost before.
     */
    final void handedOut() {
        options.onLost().forEach(this::onLost);
    }

    /** Restarts the lease; best effort. */
    abstract void restartLease();

    /** Releases without waiting for the response. */
    abstract void release();

    /** Called once when the hold has been closed or lost. */
    abstract void ended();

    final HoldOptions options() {
        return options;
    }

    /** Moves to lost. False if the hold had been closed or lost before. */
    final boolean lose(LossReason why) {
        List<Consumer<LossReason>> pending;
        Consumer<LossReason> internal;
        synchronized (this) {
            if (state != State.HELD) {
                return false;
            }
            state = State.LOST;
            reason = why;
            pending = List.copyOf(actions);
            actions.clear();
            internal = internalAction;
            if (holder != null) {
                // Under the lock, so that it never happens after close() has returned.
                holder.interrupt();
            }
        }
        ended();
        if (internal != null) {
            internal.accept(why);
        }
        for (var action : pending) {
            callbacks.execute(() -> action.accept(why));
        }
        return true;
    }

    /** Moves to closed. False if the hold had been closed or lost before. */
    final boolean finish() {
        synchronized (this) {
            if (state != State.HELD) {
                return false;
            }
            state = State.CLOSED;
            actions.clear();
            holder = null;
        }
        ended();
        return true;
    }

    /** Sets an internal action that runs on the thread that detects the loss and must not block. */
    final void internalAction(Consumer<LossReason> action) {
        LossReason already;
        synchronized (this) {
            already = reason;
            internalAction = action;
        }
        if (already != null) {
            action.accept(already);
        }
    }

    /**
     * Sets the thread that is interrupted when the hold is lost, if {@code interruptOnLoss} is set.
     */
    final synchronized void interruptOnLoss(Thread thread) {
        if (!options.interruptOnLoss() || state == State.CLOSED) {
            return;
        }
        if (state == State.LOST) {
            thread.interrupt();
        } else {
            holder = thread;
        }
    }

    final synchronized boolean isOpen() {
        return state == State.HELD;
    }

    @Override
    public final synchronized Optional<LossReason> lossReason() {
        return Optional.ofNullable(reason);
    }

    @Override
    public final void onLost(Consumer<LossReason> action) {
        LossReason already;
        synchronized (this) {
            already = reason;
            if (state == State.HELD) {
                actions.add(action);
            }
        }
        if (already != null) {
            callbacks.execute(() -> action.accept(already));
        }
    }

    @Override
    public final void ensureHeld() {
        if (!isHeld()) {
            throw notHeld();
        }
    }

    /**
     * As {@link #ensureHeld}, but does not throw while the state is unknown because there is no
     * connection.
     */
    final void ensureNotLost() {
        if (!isHeld() && !isOpen()) {
            throw notHeld();
        }
    }

    final RuntimeException notHeld() {
        var why = lossReason();
        if (why.isEmpty() && isOpen()) {
            return new OutcomeUnknownException(
                    "the connection is lost: whether "
                            + key()
                            + " is still held is unknown until the client has reconnected",
                    null);
        }
        return why.isPresent()
                ? new LeaseLostException(
                        "the hold of "
                                + key()
                                + (fence().isPresent() ? " with fence " + fence().getAsLong() : "")
                                + " was lost: "
                                + why.get(),
                        why.get(),
                        fence())
                : new IllegalStateException("the hold of " + key() + " is closed");
    }

    @Override
    public final String toString() {
        return "Hold["
                + key()
                + (fence().isPresent() ? ", fence " + fence().getAsLong() : "")
                + (isHeld() ? "" : ", not held")
                + "]";
    }
}
