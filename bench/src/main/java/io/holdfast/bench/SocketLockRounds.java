package io.holdfast.bench;

import io.holdfast.client.socketlock.LockConfig;
import io.holdfast.client.socketlock.SocketLockClient;
import io.holdfast.client.socketlock.SocketLockServer;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Acquires and releases a socketlock, one after the other, and prints what a round took: mean, 50th
 * and 99th percentile in microseconds, whether this process was the primary, and the microseconds
 * of CPU that it used.
 *
 * <pre>
 * SocketLockRounds serve PATH             serves the path until it is killed
 * SocketLockRounds rounds PATH SECONDS    one line for each line of standard input
 * </pre>
 */
public final class SocketLockRounds {
    private static final int MAX_ROUNDS = 1 << 22;

    private SocketLockRounds() {}

    public static void main(String[] args) throws Exception {
        Path path = Path.of(args[1]);
        if (args[0].equals("serve")) {
            try (SocketLockServer _ = SocketLockServer.start(path, LockConfig.defaults())) {
                TimeUnit.DAYS.sleep(1);
            }
            return;
        }
        long nanos = (long) (Double.parseDouble(args[2]) * 1e9);
        long[] took = new long[MAX_ROUNDS];
        try (SocketLockClient client = SocketLockClient.connect(path)) {
            while (System.in.read() == '\n') {
                rounds(client, nanos, took);
            }
        }
    }

    private static void rounds(SocketLockClient client, long nanos, long[] took) {
        RoundTimes roundTimes = RoundTimes.take(nanos, took, () -> client.acquireWrite().release());
        System.out.printf(
                "%.1f %.1f %.1f %b %.1f%n",
                roundTimes.mean(),
                roundTimes.p50(),
                roundTimes.p99(),
                client.isPrimary(),
                roundTimes.cpu());
    }
}
