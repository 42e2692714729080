package io.holdfast.cli.client;

import io.holdfast.cli.process.SignalRelay;
import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastLock;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.stream.Stream;

@Command(
        name = "lock",
        customSynopsis = "holdfast lock KEY [OPTIONS] -- COMMAND [ARGUMENTS...]",
        description = "Waits for a lock and holds it while a command runs.")
final class LockCommand extends HoldingCommand {
    @Parameters(index = "0", paramLabel = "KEY", description = "The key of the lock.")
    @SuppressWarnings("NullAway.Init")
    private String key;

    @Parameters(
            index = "1..*",
            paramLabel = "COMMAND",
            description = "The command and its arguments, after --.")
    private List<String> commandLine = List.of();

    @Mixin private WaitOptions waiting = new WaitOptions();

    @Option(
            names = "--read",
            defaultValue = "false",
            description = "Read (shared) lock: any number of readers, no writer.")
    private boolean read;

    @Option(
            names = "--write",
            defaultValue = "false",
            description = "Write (exclusive) lock, the default.")
    private boolean write;

    @Option(
            names = "--semaphore",
            paramLabel = "N",
            description =
                    "Acquire one of N permits of a semaphore; all clients of the key must use the"
                            + " same N.")
    private @Nullable Integer limit;

    LockCommand(ClientEnvironment clientEnvironment) {
        super(clientEnvironment);
    }

    @Override
    List<String> childCommandLine() {
        return commandLine;
    }

    @Override
    void check() {
        if (Stream.of(read, write, limit != null).filter(given -> given).count() > 1) {
            throw wrong("Give only one of --read, --write and --semaphore");
        }
        if (limit != null) {
            SemCommand.checkLimit(this, limit);
        }
    }

    @Override
    int hold(Holdfast client, SignalRelay signals) throws InterruptedException {
        return holdOnce(client, lock(client), limit, waiting, signals);
    }

    private HoldfastLock lock(Holdfast client) {
        if (limit != null) {
            return client.semaphore(key, limit);
        }
        return read ? client.readWriteLock(key).read() : client.lock(key);
    }
}
