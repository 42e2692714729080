package io.holdfast.cli.client;

import io.holdfast.cli.process.ChildCommand;
import io.holdfast.cli.process.ProcessSignal;
import io.holdfast.cli.process.SignalRelay;
import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastLock;
import io.holdfast.client.KeyInfo;
import io.holdfast.client.LockException;
import io.holdfast.client.RefusedException;
import io.holdfast.console.options.DurationConverter;
import io.holdfast.console.options.ExitStatusConverter;
import io.holdfast.console.options.TrailingCommand;
import io.holdfast.console.output.Printer;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A command that runs another command while it holds a lock or a permit. */
@Command(
        exitCodeList = {
            "0-255:that of the command; 128 + N if signal N ended it, 127 if the command was not"
                    + " found, 126 if it cannot be executed",
            "1:not acquired in time, see --conflict-exit-code",
            "2:wrong usage, nothing was done",
            "3:the server is unreachable or has rejected the request, or the hold was lost, see"
                    + " --lost-exit-code"
        },
        footer = {
            "",
            "TIME is in seconds, like 5 or 0.5, or has a unit: 500ms, 2s, 5m, 1h.",
            "Signals sent to holdfast, except SIGQUIT, are forwarded to the command. The key and"
                    + " the fence are in its environment as HOLDFAST_KEY and HOLDFAST_FENCE."
        })
abstract class HoldingCommand extends ClientCommand {
    private static final String LIMIT_MISMATCH = "error_limit_mismatch";

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "Lease: how long the server keeps the hold without a renewal (default: the"
                            + " server's setting). It is renewed while the command runs.")
    private @Nullable Duration lease;

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "Grace period: how long the hold survives a lost connection; after that it"
                            + " counts as lost (default: 3s). The server may allow less.")
    private @Nullable Duration grace;

    @Option(
            names = "--label",
            paramLabel = "TEXT",
            description = "Description of the holder, shown to other clients (default: host:pid).")
    private @Nullable String label;

    @Option(
            names = "--on-lost",
            paramLabel = "WHAT",
            defaultValue = "term",
            description =
                    "What to do when the hold is lost: term ends the command and all processes that"
                            + " it has started with SIGTERM and later SIGKILL, kill with SIGKILL at"
                            + " once, ignore lets it run (default: term).")
    private ChildLossAction childLossAction = ChildLossAction.TERM;

    @Option(
            names = "--kill-after",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "10s",
            description = "Time between SIGTERM and SIGKILL (default: 10s).")
    private Duration killAfter = Duration.ofSeconds(10);

    @Option(
            names = "--lost-exit-code",
            paramLabel = "N",
            converter = ExitStatusConverter.class,
            defaultValue = "3",
            description =
                    "The exit status if the hold was lost and the command was ended (default: 3).")
    private int lostStatus;

    @Option(
            names = {"-q", "--quiet"},
            defaultValue = "false",
            description = "Print nothing if the timeout passes; errors are still printed.")
    private boolean quiet;

    @Option(
            names = {"-v", "--verbose"},
            defaultValue = "false",
            description = "Log progress to standard error.")
    private boolean verbose;

    HoldingCommand(ClientEnvironment clientEnvironment) {
        super(clientEnvironment);
    }

    /** Returns the arguments after the parameters of this command: the command to run. */
    abstract List<String> childCommandLine();

    /** Validates the options before anything is done. */
    abstract void check();

    /** Acquires and runs the command; returns the exit status. */
    abstract int hold(Holdfast client, SignalRelay signals) throws InterruptedException;

    @Override
    final int work() {
        check();
        if (lease != null && lease.isZero()) {
            throw wrong("--lease must be longer than 0");
        }
        TrailingCommand.of(spec, childCommandLine());
        ServerTarget serverTarget =
                target().withLabel(Optional.ofNullable(label))
                        .withGrace(Optional.ofNullable(grace))
                        .withListener(
                                event ->
                                        info(
                                                "Connection "
                                                        + event.state()
                                                        + ": "
                                                        + event.address()));
        try (SignalRelay signals = SignalRelay.open()) {
            try (Holdfast client = open(serverTarget)) {
                return hold(client, signals);
            } catch (InterruptedException e) {
                return signals.first()
                        .map(ProcessSignal::status)
                        .orElseGet(ProcessSignal.INT::status);
            } catch (LockException e) {
                Optional<ProcessSignal> signal =
                        signals.first(); // its interrupt may have failed the connect
                if (signal.isPresent()) {
                    return signal.get().status();
                }
                throw e;
            }
        }
    }

    /**
     * Acquires once and runs the command.
     *
     * @param limit limit of the semaphore; null for a lock
     */
    final int holdOnce(
            Holdfast client,
            HoldfastLock lock,
            @Nullable Integer limit,
            WaitOptions waiting,
            SignalRelay signals)
            throws InterruptedException {
        info("Waiting for " + lock.key());
        Optional<Hold> hold;
        try {
            hold =
                    reporting(
                            client,
                            lock.key(),
                            limit != null,
                            () -> waiting.acquire(configured(lock)));
        } catch (RefusedException e) {
            if (limit == null || !e.reason().equals(LIMIT_MISMATCH)) {
                throw e;
            }
            KeyInfo.ResourceInfo other = client.info(lock.key()).semaphore().orElseThrow(() -> e);
            return failed(
                    lock.key()
                            + " has the limit "
                            + other.limit()
                            + ", not "
                            + limit
                            + ": all clients of a semaphore must use the same limit");
        }
        if (hold.isEmpty()) {
            if (!quiet) {
                Printer.err("Not obtained in time: " + lock.key());
            }
            return waiting.conflictStatus();
        }
        return run(hold.get(), signals).status();
    }

    /** A call that may wait. */
    interface Waiting<T> {
        T await() throws InterruptedException;
    }

    /** Waits; if standard error is a terminal, prints the current holders and the position. */
    final <T> T reporting(Holdfast client, String key, boolean semaphore, Waiting<T> waiting)
            throws InterruptedException {
        if (quiet || !Printer.isErrTerminal()) {
            return waiting.await();
        }
        try (WaitProgress _ = WaitProgress.start(client, key, semaphore)) {
            return waiting.await();
        }
    }

    final HoldfastLock configured(HoldfastLock lock) {
        return lease == null ? lock : lock.lease(lease);
    }

    /** Runs the command, then releases the hold. */
    final CommandUnderHold.Ended run(Hold hold, SignalRelay signals) throws InterruptedException {
        try (hold) {
            if (signals.first().isPresent()) {
                throw new InterruptedException();
            }
            info("Obtained " + hold.key() + fence(hold));
            return new CommandUnderHold(hold, childLossAction, killAfter, lostStatus)
                    .run(
                            new ChildCommand(
                                    TrailingCommand.of(spec, childCommandLine()),
                                    CommandUnderHold.variables(hold)),
                            signals);
        } catch (ChildCommand.NotStartedException e) {
            Printer.err("Error: " + e.getMessage());
            return new CommandUnderHold.Ended(e.status(), false);
        }
    }

    private static String fence(Hold hold) {
        return hold.fence().isPresent() ? ", fence " + hold.fence().getAsLong() : "";
    }

    final ChildLossAction onLost() {
        return childLossAction;
    }

    final void info(String text) {
        if (verbose) {
            Printer.err("[INFO] " + text);
        }
    }
}
