package io.holdfast.verification.soak;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Values that expire after a second, and values that are set again before they expire. The
 * connection is closed before the wait, because values do not depend on it.
 */
final class ValueTtlScenario implements Scenario {
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final Duration PAUSE = Duration.ofMillis(1500);

    private record Keys(String ends, String shortened, String kept, String prolonged) {
        static Keys of(SoakCycle soakCycle, int worker) {
            return new Keys(
                    soakCycle.key("ttl_ends_" + worker),
                    soakCycle.key("ttl_shortened_" + worker),
                    soakCycle.key("ttl_kept_" + worker),
                    soakCycle.key("ttl_prolonged_" + worker));
        }
    }

    @Override
    public String name() {
        return "kv-ttl";
    }

    @Override
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        soakCycle.inEveryWorker(worker -> set(soakCycle, Keys.of(soakCycle, worker)));
        boolean over = soakCycle.pause(PAUSE);
        soakCycle.inEveryWorker(
                worker -> {
                    var keys = Keys.of(soakCycle, worker);
                    var connection = soakCycle.connect();
                    if (over) {
                        checkAfterExpiry(connection, keys);
                    }
                    remove(connection, keys);
                    soakCycle.disconnect(connection);
                });
    }

    private static void set(SoakCycle soakCycle, Keys keys)
            throws IOException, CheckFailedException, InterruptedException {
        var connection = soakCycle.connect();
        long started = System.nanoTime();
        connection.expect("ok", "kset", keys.ends, "ephemeral 1");
        connection.expect("ok", "kset", keys.shortened, "ephemeral 0");
        connection.expect("ok", "kset", keys.shortened, "ephemeral 1");
        connection.expect("ok", "kset", keys.kept, "ephemeral 1");
        connection.expect("ok", "kset", keys.prolonged, "ephemeral 1");
        checkStillThere(connection, keys, started);
        connection.expect("ok", "kset", keys.kept, "kept 0");
        connection.expect("ok", "kset", keys.prolonged, "prolonged 60");
        soakCycle.disconnect(connection);
    }

    /** On a machine that stalls for a second, a value may have expired already. */
    private static void checkStillThere(SoakConnection connection, Keys keys, long started)
            throws IOException, CheckFailedException {
        for (var key : List.of(keys.ends, keys.shortened, keys.kept, keys.prolonged)) {
            var response = connection.request("kget", key, "");
            boolean late = System.nanoTime() - started >= TTL.toNanos();
            if (!response.equals("ok ephemeral") && !(late && response.equals("nil"))) {
                throw new CheckFailedException(
                        "kget " + key + ": got \"" + response + "\" before it was due to expire");
            }
        }
    }

    private static void checkAfterExpiry(SoakConnection connection, Keys keys)
            throws IOException, CheckFailedException {
        connection.expect("nil", "kget", keys.ends, "");
        connection.expect("nil", "kget", keys.shortened, "");
        connection.expect("ok kept", "kget", keys.kept, "");
        connection.expect("ok prolonged", "kget", keys.prolonged, "");
        connection.expect("ok", "kset", keys.ends, "back 0"); // an expired key can be set again
        connection.expect("ok back", "kget", keys.ends, "");
    }

    private static void remove(SoakConnection connection, Keys keys)
            throws IOException, CheckFailedException {
        for (var key : List.of(keys.ends, keys.shortened, keys.kept, keys.prolonged)) {
            connection.expect("ok", "kdel", key, "");
            connection.expect("nil", "kget", key, "");
        }
    }
}
