package io.holdfast.cli.serve;

import io.holdfast.server.listener.StartException;

import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Recorded conversations of socketlock. Their timeouts are short, so few are played concurrently.
 */
abstract class SocketlockConversations extends RecordedConversations {
    private final AtomicInteger sockets = new AtomicInteger();

    @TempDir private static Path folder; // needed before the first test

    SocketlockConversations(String recordings, int least) {
        super(recordings, least);
    }

    @Override
    String defaultListener() {
        return "unix";
    }

    @Override
    int atOnce() {
        return 4;
    }

    @Override
    RunningServer start(List<String> flags, DriverChoice driverChoice)
            throws GoFlags.FlagException, StartException {
        List<String> args = new ArrayList<>(flags);
        args.addAll(List.of("-socket", folder.resolve("s" + sockets.incrementAndGet()).toString()));
        return RunningServer.startSocketlockd(args, driverChoice);
    }
}
