package io.holdfast.cli.client;

import io.holdfast.client.Holdfast;
import io.holdfast.console.options.DurationConverter;
import io.holdfast.console.output.Printer;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

@Command(name = "kv", description = "Reads and writes small values.")
final class KvCommand extends CommandGroup {
    private KvCommand() {}

    static CommandLine create(ClientEnvironment clientEnvironment) {
        return new CommandLine(new KvCommand())
                .addSubcommand(new Get(clientEnvironment))
                .addSubcommand(new Put(clientEnvironment))
                .addSubcommand(new Delete(clientEnvironment));
    }

    private abstract static class OfKey extends ClientCommand {
        @Parameters(index = "0", paramLabel = "KEY", description = "The key of the value.")
        @SuppressWarnings("NullAway.Init")
        String key;

        OfKey(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }
    }

    @Command(name = "get", description = "Prints a value; exit status 1 if there is none.")
    private static final class Get extends OfKey {
        Get(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }

        @Override
        int work() {
            try (Holdfast client = open()) {
                Optional<String> value = client.kv().get(key);
                value.ifPresent(Printer::out);
                return value.isPresent() ? DONE : ABSENT;
            }
        }
    }

    @Command(
            name = "put",
            description = "Sets a value.",
            footer = {"", "TIME is in seconds, like 5, or has a unit: 2s, 5m, 1h."})
    private static final class Put extends OfKey {
        @Parameters(index = "1", paramLabel = "VALUE", description = "A text without line breaks.")
        @SuppressWarnings("NullAway.Init")
        private String value;

        @Option(
                names = "--ttl",
                paramLabel = "TIME",
                converter = DurationConverter.class,
                description =
                        "Time to live (TTL): delete the value after this time, in whole seconds"
                                + " (default: never).")
        private @Nullable Duration timeToLive;

        Put(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }

        @Override
        int work() {
            if (timeToLive != null
                    && (timeToLive.isZero()
                            || !timeToLive.equals(timeToLive.truncatedTo(ChronoUnit.SECONDS)))) {
                throw wrong("--ttl must be whole seconds, at least 1");
            }
            try (Holdfast client = open()) {
                if (timeToLive == null) {
                    client.kv().put(key, value);
                } else {
                    client.kv().put(key, value, timeToLive);
                }
                return DONE;
            }
        }
    }

    @Command(name = "delete", description = "Deletes a value, if there is one.")
    private static final class Delete extends OfKey {
        Delete(ClientEnvironment clientEnvironment) {
            super(clientEnvironment);
        }

        @Override
        int work() {
            try (Holdfast client = open()) {
                client.kv().remove(key);
                return DONE;
            }
        }
    }
}
