package io.holdfast.server.lockd;

import io.holdfast.engine.Effect;
import io.holdfast.protocol.lockd.LockdVerb;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counters since the start. A command is counted before its response is written. */
final class LockdCounters {
    private final Map<LockdVerb, LongAdder> commands = new EnumMap<>(LockdVerb.class);
    private final LongAdder invalid = new LongAdder();
    private final LongAdder orphans = new LongAdder();
    private final LongAdder sharedOrphans = new LongAdder();

    LockdCounters() {
        for (LockdVerb verb : LockdVerb.values()) {
            commands.put(verb, new LongAdder());
        }
    }

    void command(LockdVerb verb) {
        commands.getOrDefault(verb, invalid).increment();
    }

    void invalid() {
        invalid.increment();
    }

    void orphaned(Effect.Orphaned orphaned) {
        orphans.add(orphaned.locks());
        sharedOrphans.add(orphaned.shared());
    }

    long commands(LockdVerb verb) {
        return commands.getOrDefault(verb, invalid).sum();
    }

    long invalidCommands() {
        return invalid.sum();
    }

    long orphans() {
        return orphans.sum();
    }

    long sharedOrphans() {
        return sharedOrphans.sum();
    }
}
