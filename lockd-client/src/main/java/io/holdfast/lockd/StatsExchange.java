package io.holdfast.lockd;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Requests the counters. The server sends them sorted by name, so the last name marks the end. */
final class StatsExchange extends LockdExchange<Map<String, Long>> {
    private static final String LAST = "shared_orphans";
    private static final int MAX_READ_TIMEOUTS = 300;

    private final Map<String, Long> counters = new LinkedHashMap<>();
    private final ListingSizeLimit listingSizeLimit;

    StatsExchange(ListingSizeLimit listingSizeLimit) {
        super("q");
        this.listingSizeLimit = listingSizeLimit;
    }

    @Override
    void line(String line) throws LockdProtocolException {
        listingSizeLimit.add(line);
        int colon = line.indexOf(": ");
        String value = line.substring(colon < 0 ? line.length() : colon + 2);
        if (!value.matches("-?[0-9]{1,18}")) {
            throw LockdProtocolException.mismatch(command(), line);
        }
        String name = line.substring(0, colon);
        counters.put(name, Long.parseLong(value));
        if (name.equals(LAST)) {
            succeed(Collections.unmodifiableMap(counters));
        }
    }

    @Override
    int maxReadTimeouts() {
        return MAX_READ_TIMEOUTS;
    }
}
