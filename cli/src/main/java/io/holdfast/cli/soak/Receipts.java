package io.holdfast.cli.soak;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Which items have arrived at one place, whoever took them there. Thread-safe. */
final class Receipts {
    private final String place;
    private final List<BitSet> seen = new ArrayList<>();

    Receipts(String place, int workers) {
        this.place = place;
        for (int i = 0; i < workers; i++) {
            seen.add(new BitSet());
        }
    }

    synchronized void add(Item item) throws CheckFailedException {
        var ofWorker = seen.get(item.worker());
        if (ofWorker.get(item.number())) {
            throw new CheckFailedException(place + ": " + item + " came twice");
        }
        ofWorker.set(item.number());
    }

    /** Fails unless exactly the items 0 to sent - 1 of the worker have arrived. */
    synchronized void check(int worker, int sent) throws CheckFailedException {
        var ofWorker = seen.get(worker);
        int missing = ofWorker.nextClearBit(0);
        if (missing < sent) {
            throw new CheckFailedException(
                    place + ": " + new Item(worker, missing) + " never came");
        }
        int most = ofWorker.length() - 1;
        if (most >= sent) {
            throw new CheckFailedException(
                    place + ": " + new Item(worker, most) + " came, but nobody sent it");
        }
    }
}
