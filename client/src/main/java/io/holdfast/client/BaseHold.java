package io.holdfast.client;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The states of a hold: held, then closed or lost, once. */
abstract class BaseHold implements Hold {
    private enum State {
        HELD,
        LOST,
        CLOSED
    }

    final ClientCore core;
    private final HoldOptions options;
    private final SerialExecutor callbacks;
    private final List<Consumer<LossReason>> actions = new ArrayList<>();
    private @Nullable Consumer<LossReason> hook;
    private @Nullable Thread holder;
    private @Nullable LossReason reason;
    private State state = State.HELD;

    BaseHold(ClientCore core, HoldOptions options) {
        this.core = core;
        this.options = options;
        callbacks = new SerialExecutor(core.callbacks());
    }

    /** From here on somebody has it: what was to be told of a loss is told, also of one before. */
    final void handedOut() {
        options.onLost().forEach(this::onLost);
    }

    /** Restarts the lease if that can be done. */
    abstract void restartLease();

    /** Gives back without waiting for the answer. */
    abstract void release();

    /** It is over, for whatever reason; called once. */
    abstract void over();

    final HoldOptions options() {
        return options;
    }

    /** False if it was over already. */
    final boolean lose(LossReason why) {
        List<Consumer<LossReason>> told;
        Consumer<LossReason> first;
        synchronized (this) {
            if (state != State.HELD) {
                return false;
            }
            state = State.LOST;
            reason = why;
            told = List.copyOf(actions);
            actions.clear();
            first = hook;
            if (holder != null) {
                holder.interrupt(); // in here: not after a close() has returned
            }
        }
        over();
        if (first != null) {
            first.accept(why);
        }
        for (var action : told) {
            callbacks.execute(() -> action.accept(why));
        }
        return true;
    }

    /** False if it was over already. */
    final boolean finish() {
        synchronized (this) {
            if (state != State.HELD) {
                return false;
            }
            state = State.CLOSED;
            actions.clear();
            holder = null;
        }
        over();
        return true;
    }

    /** Not for users: runs where the loss is found, must not block. */
    final void hook(Consumer<LossReason> action) {
        LossReason already;
        synchronized (this) {
            already = reason;
            hook = action;
        }
        if (already != null) {
            action.accept(already);
        }
    }

    /** Whoever gets it is interrupted when it is lost, if that was asked for. */
    final synchronized void handTo(Thread thread) {
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

    /** As {@link #ensureHeld}, but what is in doubt for want of a connection may still be held. */
    final void ensureNotLost() {
        if (!isHeld() && !isOpen()) {
            throw notHeld();
        }
    }

    final RuntimeException notHeld() {
        var why = lossReason();
        if (why.isEmpty() && isOpen()) {
            return new OutcomeUnknownException(
                    "the connection is lost, and whether "
                            + key()
                            + " is still held is not known before there is one again",
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
