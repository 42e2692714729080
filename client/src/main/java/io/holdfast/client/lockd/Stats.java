package io.holdfast.client.lockd;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The counters. Their names come sorted, so the last of them marks the end. */
final class Stats extends Exchange<Map<String, Long>> {
    private static final String LAST = "shared_orphans";
    private static final int PATIENCE = 300;

    private final Map<String, Long> counters = new LinkedHashMap<>();
    private final Budget budget;

    Stats(Budget budget) {
        super("q");
        this.budget = budget;
    }

    @Override
    void line(String line) throws BadAnswerException {
        budget.take(line);
        int colon = line.indexOf(": ");
        String value = line.substring(colon < 0 ? line.length() : colon + 2);
        if (!value.matches("-?[0-9]{1,18}")) {
            throw BadAnswerException.unfit(command(), line);
        }
        String name = line.substring(0, colon);
        counters.put(name, Long.parseLong(value));
        if (name.equals(LAST)) {
            succeed(Collections.unmodifiableMap(counters));
        }
    }

    @Override
    int patience() {
        return PATIENCE;
    }
}
