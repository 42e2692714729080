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
    public void run(Cycle cycle) throws IOException, CheckFailedException, InterruptedException {
        cycle.inEveryWorker(worker -> countAlone(cycle, cycle.key("counter_" + worker)));
        var key = cycle.key("counter");
        long top = countTogether(cycle, "incr", key, 0, 1);
        countTogether(cycle, "decr", key, top, -1);
        var connection = cycle.connect();
        clear(connection, key);
        cycle.disconnect(connection);
    }

    private static void countAlone(Cycle cycle, String key)
            throws IOException, CheckFailedException, InterruptedException {
        var connection = cycle.connect();
        connection.expect("ok 0", "get", key, "");
        for (int value = 0; value < cycle.rounds() && !cycle.ended(); value++) {
            connection.expect("ok " + (value + 1), "incr", key, "1");
            connection.expect("ok " + value, "decr", key, "1");
            connection.expect("ok " + (value + 1), "incr", key, "1");
            connection.expect("ok " + (value + 1), "get", key, "");
        }
        clear(connection, key);
        cycle.disconnect(connection);
    }

    /**
     * Every worker moves the counter, one step at a time. The answers must be the values on the
     * way, each given once, and a worker sees them go in one direction. Gives the last value.
     */
    private static long countTogether(Cycle cycle, String command, String key, long from, int step)
            throws IOException, CheckFailedException, InterruptedException {
        Set<Long> answers = ConcurrentHashMap.newKeySet();
        cycle.inEveryWorker(
                _ -> {
                    var connection = cycle.connect();
                    long before = from;
                    for (int i = 0; i < cycle.rounds() && !cycle.ended(); i++) {
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
                    cycle.disconnect(connection);
                });
        long last = from + ((long) step * answers.size());
        for (long value = from; value != last; ) {
            value += step;
            if (!answers.contains(value)) {
                throw new CheckFailedException(
                        command + " " + key + ": nobody got \"ok " + value + "\"");
            }
        }
        var connection = cycle.connect();
        connection.expect("ok " + last, "get", key, "");
        cycle.disconnect(connection);
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
