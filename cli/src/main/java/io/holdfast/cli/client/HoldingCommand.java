package io.holdfast.cli.client;

import io.holdfast.cli.options.DurationConverter;
import io.holdfast.cli.options.ExitStatusConverter;
import io.holdfast.cli.options.TrailingCommand;
import io.holdfast.cli.output.Printer;
import io.holdfast.cli.process.ChildCommand;
import io.holdfast.cli.process.ProcessSignal;
import io.holdfast.cli.process.SignalRelay;
import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastLock;
import io.holdfast.client.KeyInfo;
import io.holdfast.client.LockException;
import io.holdfast.client.RefusedException;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Runs a command while it holds something. */
@Command(
        exitCodeList = {
            "0-255:that of the command; 128 and the number of the signal if one ended it, 127 if"
                    + " there is no such command, 126 if it cannot be executed",
            "1:not obtained in time, see --conflict-exit-code",
            "2:wrong usage, nothing was done",
            "3:the server cannot be reached, or refuses, or what was held is lost, see"
                    + " --lost-exit-code"
        },
        footer = {
            "",
            "TIME is in seconds, like 5 or 0.5, or has a unit: 500ms, 2s, 5m, 1h.",
            "The command gets the signals that are sent to holdfast, SIGQUIT excepted, and finds"
                    + " the key and the fence in HOLDFAST_KEY and HOLDFAST_FENCE."
        })
abstract class HoldingCommand extends ClientCommand {
    private static final String LIMIT_MISMATCH = "error_limit_mismatch";

    @Option(
            names = "--lease",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "How long the server keeps what we hold if it does not hear from us (the"
                            + " server's). It is renewed as long as the command runs.")
    private @Nullable Duration lease;

    @Option(
            names = "--label",
            paramLabel = "TEXT",
            description = "Who holds it, for people (host:pid).")
    private @Nullable String label;

    @Option(
            names = "--on-lost",
            paramLabel = "WHAT",
            defaultValue = "term",
            description =
                    "When what is held is lost, end the command and all that it has started: term"
                            + " for SIGTERM and later SIGKILL, kill for SIGKILL at once; or ignore"
                            + " (term).")
    private LossAction lossAction = LossAction.TERM;

    @Option(
            names = "--kill-after",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "10s",
            description = "How long after SIGTERM comes SIGKILL (10s).")
    private Duration killAfter = Duration.ofSeconds(10);

    @Option(
            names = "--lost-exit-code",
            paramLabel = "N",
            converter = ExitStatusConverter.class,
            defaultValue = "3",
            description = "The exit status if it was lost and the command was ended (3).")
    private int lostStatus;

    @Option(
            names = {"-q", "--quiet"},
            defaultValue = "false",
            description = "No text if it is not obtained; errors are told all the same.")
    private boolean quiet;

    @Option(
            names = {"-v", "--verbose"},
            defaultValue = "false",
            description = "Tell on standard error what is being done.")
    private boolean verbose;

    HoldingCommand(CommandContext commandContext) {
        super(commandContext);
    }

    /** The words behind the parameters. */
    abstract List<String> childCommandLine();

    /** Checks the options before anything is done. */
    abstract void check();

    /** Waits and runs. */
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
                Optional<ProcessSignal> signal = signals.first(); // may have disturbed a connect
                if (signal.isPresent()) {
                    return signal.get().status();
                }
                throw e;
            }
        }
    }

    /**
     * Waits once and runs.
     *
     * @param limit of the semaphore; null for a lock
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
                            + ": all who use it must name the same");
        }
        if (hold.isEmpty()) {
            if (!quiet) {
                Printer.err("Not obtained in time: " + lock.key());
            }
            return waiting.conflictStatus();
        }
        return run(hold.get(), signals).status();
    }

    /** What may wait. */
    interface Waiting<T> {
        T await() throws InterruptedException;
    }

    /** Waits; at a terminal, who looks on sees what for. */
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

    /** Runs the command; the hold is closed at its end. */
    final CommandUnderHold.Ended run(Hold hold, SignalRelay signals) throws InterruptedException {
        try (hold) {
            if (signals.first().isPresent()) {
                throw new InterruptedException();
            }
            info("Obtained " + hold.key() + fence(hold));
            return new CommandUnderHold(hold, lossAction, killAfter, lostStatus)
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

    final LossAction onLost() {
        return lossAction;
    }

    final void info(String text) {
        if (verbose) {
            Printer.err("[INFO] " + text);
        }
    }
}
