package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** What is held of one namespace and kind, counted, and who waits for it. */
final class HeldTally {
    int keys;
    int holds;
    int waits;

    private @Nullable Wait oldest;
    private @Nullable Wait youngest;

    /** A wait has begun, after all others. */
    void add(Wait wait) {
        wait.older = youngest;
        if (youngest == null) {
            oldest = wait;
        } else {
            youngest.younger = wait;
        }
        youngest = wait;
        waits++;
    }

    void remove(Wait wait) {
        Wait older = wait.older;
        Wait younger = wait.younger;
        if (older == null) {
            oldest = younger;
        } else {
            older.younger = younger;
        }
        if (younger == null) {
            youngest = older;
        } else {
            younger.older = older;
        }
        wait.older = null;
        wait.younger = null;
        waits--;
    }

    /** Visits the waits, those that last longest first, until the visitor returns false. */
    void eachWait(Predicate<Wait> viewer) {
        Wait wait = oldest;
        while (wait != null && viewer.test(wait)) {
            wait = wait.younger;
        }
    }

    /** To be called when waits were added that had not begun in that order. */
    void sortWaits() {
        List<Wait> all = new ArrayList<>(waits);
        while (oldest != null) {
            all.add(oldest);
            remove(oldest);
        }
        all.sort(Comparator.comparingLong(wait -> wait.sinceNanos));
        all.forEach(this::add);
    }
}
