package io.holdfast.cli.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.cli.process.ChildCommand;
import io.holdfast.cli.process.RunningCommand;
import io.holdfast.cli.process.SignalRelay;
import io.holdfast.client.Hold;
import io.holdfast.client.LossReason;
import io.holdfast.console.output.Printer;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** One run of a command while a hold is held; the command is ended if the hold is lost. */
final class CommandUnderHold {
    /** The environment variables that the command gets. */
    static final String KEY = "HOLDFAST_KEY";

    static final String FENCE = "HOLDFAST_FENCE";

    /**
     * How the run ended.
     *
     * @param lost whether the command was ended, or not started, because the hold was lost
     */
    record Ended(int status, boolean lost) {}

    private final Hold hold;
    private final ChildLossAction childLossAction;
    private final Duration killAfter;
    private final int lostStatus;

    @GuardedBy("this")
    private boolean over;

    @GuardedBy("this")
    private @Nullable Thread ending;

    CommandUnderHold(
            Hold hold, ChildLossAction childLossAction, Duration killAfter, int lostStatus) {
        this.hold = hold;
        this.childLossAction = childLossAction;
        this.killAfter = killAfter;
        this.lostStatus = lostStatus;
    }

    /**
     * Removes an inherited fence of an enclosing {@code holdfast lock}: it is not that of this
     * hold.
     */
    static Consumer<Map<String, String>> variables(Hold hold) {
        return variables -> {
            variables.put(KEY, hold.key());
            variables.remove(FENCE);
            hold.fence().ifPresent(fence -> variables.put(FENCE, Long.toString(fence)));
        };
    }

    /** Runs the command to its end. */
    Ended run(ChildCommand command, SignalRelay signals) throws ChildCommand.NotStartedException {
        if (!hold.isHeld()) {
            printLoss(
                    hold.lossReason().orElse(LossReason.CONNECTION_LOST),
                    "the command was not started");
            return new Ended(lostStatus, true);
        }
        RunningCommand running = command.start(signals);
        hold.onLost(reason -> lost(reason, running));
        int status = running.await();
        Optional<Thread> last = finish();
        last.ifPresent(CommandUnderHold::join);
        if (last.isPresent()) {
            return new Ended(lostStatus, true);
        }
        boolean held = hold.isHeld(); // the loss may not have been notified yet
        if (childLossAction != ChildLossAction.IGNORE && !held && hold.lossReason().isPresent()) {
            printLoss(hold.lossReason().get(), "the command has already ended");
            return new Ended(lostStatus, true);
        }
        return new Ended(status, false);
    }

    private synchronized void lost(LossReason reason, RunningCommand running) {
        if (over) {
            return;
        }
        if (childLossAction == ChildLossAction.IGNORE) {
            printLoss(reason, "the command keeps running");
            return;
        }
        printLoss(reason, "ending the command");
        ending = Thread.ofPlatform().name("ending").start(() -> end(running));
    }

    private void end(RunningCommand running) {
        if (childLossAction == ChildLossAction.KILL) {
            running.kill();
            return;
        }
        try {
            running.end(killAfter);
        } catch (InterruptedException _) {
            running.kill(); // unreachable: this thread is never interrupted
        }
    }

    /** Ignores losses from now on; returns the thread that is ending the command, if any. */
    private synchronized Optional<Thread> finish() {
        over = true;
        return Optional.ofNullable(ending);
    }

    private static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void printLoss(LossReason reason, String what) {
        String why = reason.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        Printer.err("Lost " + hold.key() + " (" + why + "): " + what);
    }
}
