package io.holdfast.cli.soak;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Values that end after a second, and values that were to end but were set again. The connection is
 * not kept over the wait: no value belongs to one.
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
                        look(connection, keys);
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

    /** On a machine that stalls for a second, a value may rightly be gone. */
    private static void checkStillThere(SoakConnection connection, Keys keys, long started)
            throws IOException, CheckFailedException {
        for (var key : List.of(keys.ends, keys.shortened, keys.kept, keys.prolonged)) {
            var answer = connection.ask("kget", key, "");
            boolean late = System.nanoTime() - started >= TTL.toNanos();
            if (!answer.equals("ok ephemeral") && !(late && answer.equals("nil"))) {
                throw new CheckFailedException(
                        "kget " + key + ": got \"" + answer + "\" before its time was up");
            }
        }
    }

    private static void look(SoakConnection connection, Keys keys)
            throws IOException, CheckFailedException {
        connection.expect("nil", "kget", keys.ends, "");
        connection.expect("nil", "kget", keys.shortened, "");
        connection.expect("ok kept", "kget", keys.kept, "");
        connection.expect("ok prolonged", "kget", keys.prolonged, "");
        connection.expect("ok", "kset", keys.ends, "back 0"); // what ended can be set anew
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
