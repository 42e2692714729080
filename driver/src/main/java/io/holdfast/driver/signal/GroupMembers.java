package io.holdfast.driver.signal;

import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

/** Those who listen to one topic, in order of joining. */
final class GroupMembers {
    /** Grows with each topic of the hub. */
    private final long formed;

    private final List<ListenRegistration> inOrder = new ArrayList<>(1);

    /** Whose turn it is in a group; goes on when somebody leaves. */
    private final AtomicLong nextTurn = new AtomicLong();

    GroupMembers(long formed) {
        this.formed = formed;
    }

    long formed() {
        return formed;
    }

    int size() {
        return inOrder.size();
    }

    Subscriber get(int place) {
        return inOrder.get(place).subscriber();
    }

    /** Adds somebody who joined after all others. */
    void add(ListenRegistration listenRegistration) {
        inOrder.add(listenRegistration);
    }

    void remove(ListenRegistration listenRegistration) {
        int low = 0;
        int high = inOrder.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (inOrder.get(middle).joined() < listenRegistration.joined()) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        inOrder.remove(low);
    }

    void setTurn(long next) {
        nextTurn.set(next);
    }

    /** Writes whose turn it is, and all of them. */
    void write(DataOutput out, ToLongFunction<SignalListener> idOf) throws IOException {
        out.writeLong(nextTurn.get());
        out.writeInt(inOrder.size());
        for (ListenRegistration listenRegistration : inOrder) {
            out.writeLong(idOf.applyAsLong(listenRegistration.subscriber().listener()));
        }
    }

    /** The place to begin with for the next signal; each call is one turn. */
    int nextIndex() {
        return (int) Long.remainderUnsigned(nextTurn.getAndIncrement(), inOrder.size());
    }
}
