package io.holdfast.cli.serve;

import io.holdfast.server.StartException;

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

    /** {@code PORT} and {@code PATH} are for us to choose; on TCP unless another way is given. */
    @Override
    RunningServer start(List<String> flags, DriverChoice driverChoice)
            throws GoFlags.FlagException, StartException {
        List<String> words = new ArrayList<>(flags);
        words.replaceAll(word -> word.equals("PORT") ? "0" : word.equals("PATH") ? path() : word);
        if (!flags.contains("--unix") && !flags.contains("--ws")) {
            words.addAll(List.of("--tcp", "0"));
        }
        return RunningServer.startLockd(words, driverChoice);
    }

    private String path() {
        return folder.resolve("socket-" + sockets.incrementAndGet()).toString();
    }
}
