package io.holdfast.cli.client;

import io.holdfast.client.Holdfast;
import io.holdfast.client.Signals;
import io.holdfast.console.options.DurationConverter;
import io.holdfast.console.output.JsonLine;
import io.holdfast.console.output.Printer;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Duration;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

@Command(
        name = "listen",
        description = "Prints a line for each signal: the channel, a space, the payload.",
        footer = {"", "TIME is in seconds, like 5 or 0.5, or has a unit: 500ms, 2s, 5m, 1h."})
final class ListenCommand extends ClientCommand {
    @Parameters(
            index = "0",
            paramLabel = "PATTERN",
            description = "The channels: * matches one part of a name, > the rest.")
    @SuppressWarnings("NullAway.Init")
    private String pattern;

    @Option(
            names = "--group",
            paramLabel = "NAME",
            description = "Queue group: each signal is delivered to one listener of the group.")
    private @Nullable String group;

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "Exit after this number of signals (default: never).")
    private @Nullable Long count;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "Exit after this time (default: no timeout). Exit status 1 if --count was not"
                            + " reached.")
    private @Nullable Duration timeout;

    @Option(
            names = {"-j", "--json"},
            defaultValue = "false",
            description = "Print each signal as one line of JSON.")
    private boolean json;

    ListenCommand(ClientEnvironment clientEnvironment) {
        super(clientEnvironment);
    }

    @Override
    int work() throws InterruptedException {
        if (count != null && count < 1) {
            throw wrong("--count must be at least 1, not " + count);
        }
        // No buffer here: the client library buffers signals, and drops them if its buffer is full.
        SynchronousQueue<Signals.Signal> queue = new SynchronousQueue<>();
        try (Holdfast client = open();
                Signals.Subscription subscription = subscribe(client.signals(), queue)) {
            return print(queue, subscription);
        }
    }

    private Signals.Subscription subscribe(
            Signals signals, SynchronousQueue<Signals.Signal> queue) {
        return group == null
                ? signals.listen(pattern, signal -> put(signal, queue))
                : signals.listen(pattern, group, signal -> put(signal, queue));
    }

    private static void put(Signals.Signal signal, SynchronousQueue<Signals.Signal> queue) {
        try {
            queue.put(signal);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int print(SynchronousQueue<Signals.Signal> queue, Signals.Subscription subscription)
            throws InterruptedException {
        long end = timeout == null ? 0 : System.nanoTime() + timeout.toNanos();
        long printed = 0;
        long dropped = 0;
        while (count == null || printed < count) {
            Signals.Signal signal =
                    timeout == null
                            ? queue.take()
                            : queue.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (signal == null) {
                return count == null ? DONE : ABSENT;
            }
            if (signal instanceof Signals.Message message) {
                Printer.out(line(message));
                printed++;
            } else {
                Printer.err("Gap: the connection was lost, signals may have been missed");
            }
            if (Printer.isOutputClosed()) {
                return FAILED;
            }
            if (subscription.dropped() > dropped) {
                dropped = subscription.dropped();
                Printer.err(
                        "Dropped: "
                                + dropped
                                + " signals that arrived faster than they were printed");
            }
        }
        return DONE;
    }

    private String line(Signals.Message message) {
        return json
                ? new JsonLine()
                        .put("channel", message.channel())
                        .put("payload", message.payload())
                        .toString()
                : message.channel() + " " + message.payload();
    }
}
