package io.holdfast.verification.soak;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Tracks which items have been received at one place, by any client. Thread-safe. */
final class DeliveryChecker {
    private final String place;
    private final List<BitSet> seen = new ArrayList<>();

    DeliveryChecker(String place, int workers) {
        this.place = place;
        for (int i = 0; i < workers; i++) {
            seen.add(new BitSet());
        }
    }

    synchronized void add(NumberedPayload numberedPayload) throws CheckFailedException {
        var ofWorker = seen.get(numberedPayload.worker());
        if (ofWorker.get(numberedPayload.number())) {
            throw new CheckFailedException(place + ": " + numberedPayload + " came twice");
        }
        ofWorker.set(numberedPayload.number());
    }

    /** Fails unless exactly the items 0 to sent - 1 of the worker have arrived. */
    synchronized void check(int worker, int sent) throws CheckFailedException {
        var ofWorker = seen.get(worker);
        int missing = ofWorker.nextClearBit(0);
        if (missing < sent) {
            throw new CheckFailedException(
                    place + ": " + new NumberedPayload(worker, missing) + " never came");
        }
        int highest = ofWorker.length() - 1;
        if (highest >= sent) {
            throw new CheckFailedException(
                    place
                            + ": "
                            + new NumberedPayload(worker, highest)
                            + " came, but no worker sent it");
        }
    }
}
