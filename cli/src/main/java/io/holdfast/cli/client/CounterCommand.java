package io.holdfast.cli.client;

import io.holdfast.client.Counter;
import io.holdfast.client.Holdfast;
import io.holdfast.console.output.Printer;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "counter", description = "Reads and changes counters.")
final class CounterCommand extends CommandGroup {
    private CounterCommand() {}

    static CommandLine create(ClientEnvironment clientEnvironment) {
        return new CommandLine(new CounterCommand())
                .addSubcommand(new Get(clientEnvironment))
                .addSubcommand(new Add(clientEnvironment))
                .addSubcommand(new Set(clientEnvironment))
                .setUnmatchedOptionsArePositionalParams(true); // negative numbers
    }

    private abstract static class OfCounter extends ClientCommand {
        @Parameters(index = "0", paramLabel = "KEY", description = "The key of the counter.")
        @SuppressWarnings("NullAway.Init")
        private String key;

        OfCounter(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }

        /** Returns the number to print. */
        abstract long work(Counter counter);

        @Override
        final int work() {
            try (Holdfast client = open()) {
                Printer.out(Long.toString(work(client.counter(key))));
                return DONE;
            }
        }
    }

    @Command(name = "get", description = "Prints the value; 0 if it was never set.")
    private static final class Get extends OfCounter {
        Get(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }

        @Override
        long work(Counter counter) {
            return counter.get();
        }
    }

    @Command(name = "add", description = "Adds to the value and prints the sum.")
    private static final class Add extends OfCounter {
        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "N",
                defaultValue = "1",
                description = "The number to add, may be negative (default: 1).")
        private long number;

        Add(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }

        @Override
        long work(Counter counter) {
            if (number == Long.MIN_VALUE) {
                throw wrong("'" + number + "' is too small");
            }
            return number < 0 ? counter.decrement(-number) : counter.increment(number);
        }
    }

    @Command(name = "set", description = "Sets the value and prints it.")
    private static final class Set extends OfCounter {
        @Parameters(index = "1", paramLabel = "N", description = "The new value.")
        private long number;

        Set(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }

        @Override
        long work(Counter counter) {
            counter.set(number);
            return number;
        }
    }
}
