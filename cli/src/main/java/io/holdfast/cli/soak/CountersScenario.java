package io.holdfast.cli.soak;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Each worker counts alone, then all count together, up and down again. */
final class CountersScenario implements Scenario {
    private static final Pattern ANSWER = Pattern.compile("ok (0|-?[1-9][0-9]{0,17})");

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
     * Every worker moves the counter, one step at a time. The answers must be the values on the
     * way, each given once, and a worker sees them go in one direction. Gives the last value.
     */
    private static long countTogether(
            SoakCycle soakCycle, String command, String key, long from, int step)
            throws IOException, CheckFailedException, InterruptedException {
        Set<Long> answers = ConcurrentHashMap.newKeySet();
        soakCycle.inEveryWorker(
                _ -> {
                    var connection = soakCycle.connect();
                    long before = from;
                    for (int i = 0; i < soakCycle.rounds() && !soakCycle.ended(); i++) {
                        long value = ask(connection, command, key);
                        if (!answers.add(value)) {
                            throw new CheckFailedException(
                                    command + " " + key + ": two got \"ok " + value + "\"");
                        }
                        if ((value - before) * step <= 0) {
                            throw new CheckFailedException(
                                    command + " " + key + ": " + value + " after " + before);
                        }
                        before = value;
                    }
                    soakCycle.disconnect(connection);
                });
        long last = from + ((long) step * answers.size());
        for (long value = from; value != last; ) {
            value += step;
            if (!answers.contains(value)) {
                throw new CheckFailedException(
                        command + " " + key + ": nobody got \"ok " + value + "\"");
            }
        }
        var connection = soakCycle.connect();
        connection.expect("ok " + last, "get", key, "");
        soakCycle.disconnect(connection);
        return last;
    }

    private static long ask(SoakConnection connection, String command, String key)
            throws IOException, CheckFailedException {
        var answer = connection.ask(command, key, "1");
        var form = ANSWER.matcher(answer);
        if (!form.matches()) {
            throw new CheckFailedException(
                    command + " " + key + ": got \"" + answer + "\", want \"ok <n>\"");
        }
        return Long.parseLong(form.group(1));
    }

    private static void clear(SoakConnection connection, String key)
            throws IOException, CheckFailedException {
        connection.expect("ok", "cset", key, "0");
        connection.expect("ok 0", "get", key, "");
    }
}
