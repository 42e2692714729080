package io.holdfast.cli.serve;

import io.holdfast.server.listener.StartException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("A lockd client")
class LockdConformanceIT extends RecordedConversations {
    private final AtomicInteger sockets = new AtomicInteger();

    @TempDir private Path folder;

    LockdConformanceIT() {
        super("lockd", 39);
    }

    /**
     * Replaces {@code PORT} and {@code PATH}; listens on TCP unless the flags give another address.
     */
    @Override
    RunningServer start(List<String> flags, DriverChoice driverChoice)
            throws GoFlags.FlagException, StartException {
        List<String> args = new ArrayList<>(flags);
        args.replaceAll(word -> word.equals("PORT") ? "0" : word.equals("PATH") ? path() : word);
        if (!flags.contains("--unix") && !flags.contains("--ws")) {
            args.addAll(List.of("--tcp", "0"));
        }
        return RunningServer.startLockd(args, driverChoice);
    }

    private String path() {
        return folder.resolve("socket-" + sockets.incrementAndGet()).toString();
    }
}
