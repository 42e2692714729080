package io.holdfast.verification.soak;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Each worker counts on a counter of its own, then all count up and down on a shared one. */
final class CounterCommandsScenario implements Scenario {
    private static final Pattern RESPONSE = Pattern.compile("ok (0|-?[1-9][0-9]{0,17})");

    @Override
    public String name() {
        return "counters";
    }

    @Override
    public void run(SoakCycle soakCycle)
            throws IOException, CheckFailedException, InterruptedException {
        soakCycle.inEveryWorker(
                worker -> countAlone(soakCycle, soakCycle.key("counter_" + worker)));
        var key = soakCycle.key("counter");
        long top = countTogether(soakCycle, "incr", key, 0, 1);
        countTogether(soakCycle, "decr", key, top, -1);
        var connection = soakCycle.connect();
        clear(connection, key);
        soakCycle.disconnect(connection);
    }

    private static void countAlone(SoakCycle soakCycle, String key)
            throws IOException, CheckFailedException, InterruptedException {
        var connection = soakCycle.connect();
        connection.expect("ok 0", "get", key, "");
        for (int value = 0; value < soakCycle.rounds() && !soakCycle.ended(); value++) {
            connection.expect("ok " + (value + 1), "incr", key, "1");
            connection.expect("ok " + value, "decr", key, "1");
            connection.expect("ok " + (value + 1), "incr", key, "1");
            connection.expect("ok " + (value + 1), "get", key, "");
        }
        clear(connection, key);
        soakCycle.disconnect(connection);
    }

    /**
     * Every worker moves the counter, one step at a time. Each intermediate value must be returned
     * exactly once, and each worker must see the values move in one direction. Returns the last
     * value.
     */
    private static long countTogether(
            SoakCycle soakCycle, String command, String key, long from, int increment)
            throws IOException, CheckFailedException, InterruptedException {
        Set<Long> values = ConcurrentHashMap.newKeySet();
        soakCycle.inEveryWorker(
                _ -> {
                    var connection = soakCycle.connect();
                    long before = from;
                    for (int i = 0; i < soakCycle.rounds() && !soakCycle.ended(); i++) {
                        long value = step(connection, command, key);
                        if (!values.add(value)) {
                            throw new CheckFailedException(
                                    command + " " + key + ": two workers got \"ok " + value + "\"");
                        }
                        if ((value - before) * increment <= 0) {
                            throw new CheckFailedException(
                                    command + " " + key + ": " + value + " after " + before);
                        }
                        before = value;
                    }
                    soakCycle.disconnect(connection);
                });
        long last = from + ((long) increment * values.size());
        for (long value = from; value != last; ) {
            value += increment;
            if (!values.contains(value)) {
                throw new CheckFailedException(
                        command + " " + key + ": no worker got \"ok " + value + "\"");
            }
        }
        var connection = soakCycle.connect();
        connection.expect("ok " + last, "get", key, "");
        soakCycle.disconnect(connection);
        return last;
    }

    private static long step(SoakConnection connection, String command, String key)
            throws IOException, CheckFailedException {
        var response = connection.request(command, key, "1");
        var form = RESPONSE.matcher(response);
        if (!form.matches()) {
            throw new CheckFailedException(
                    command + " " + key + ": got \"" + response + "\", want \"ok <n>\"");
        }
        return Long.parseLong(form.group(1));
    }

    private static void clear(SoakConnection connection, String key)
            throws IOException, CheckFailedException {
        connection.expect("ok", "cset", key, "0");
        connection.expect("ok 0", "get", key, "");
    }
}
