package io.holdfast.bench;

import io.holdfast.socketlock.LockConfig;
import io.holdfast.socketlock.SocketLockClient;
import io.holdfast.socketlock.SocketLockServer;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Acquires and releases a socketlock in a loop, and prints the mean, the 50th and the 99th
 * percentile of a round in microseconds, whether this process was the primary, and the CPU time per
 * round in microseconds.
 *
 * <pre>
 * SocketLockRoundTimer serve PATH             serves the path until the process is killed
 * SocketLockRoundTimer rounds PATH SECONDS    runs once for each line of standard input
 * </pre>
 */
public final class SocketLockRoundTimer {
    private static final int MAX_ROUNDS = 1 << 22;

    private SocketLockRoundTimer() {}

    public static void main(String[] args) throws Exception {
        Path path = Path.of(args[1]);
        if (args[0].equals("serve")) {
            try (SocketLockServer _ = SocketLockServer.start(path, LockConfig.defaults())) {
                TimeUnit.DAYS.sleep(1);
            }
            return;
        }
        long nanos = (long) (Double.parseDouble(args[2]) * 1e9);
        long[] times = new long[MAX_ROUNDS];
        try (SocketLockClient client = SocketLockClient.connect(path)) {
            while (System.in.read() == '\n') {
                rounds(client, nanos, times);
            }
        }
    }

    private static void rounds(SocketLockClient client, long nanos, long[] times) {
        RoundTimes roundTimes =
                RoundTimes.take(nanos, times, () -> client.acquireWrite().release());
        System.out.printf(
                "%.1f %.1f %.1f %b %.1f%n",
                roundTimes.mean(),
                roundTimes.p50(),
                roundTimes.p99(),
                client.isPrimary(),
                roundTimes.cpu());
    }
}
