package io.holdfast.driver.signal;

import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;

/** The listeners of one topic, in order of joining. */
final class TopicListeners {
    /** The order of creation among the topics of the hub. */
    private final long formed;

    private final List<ListenRegistration> inOrder = new ArrayList<>(1);

    /** The round-robin counter of a group; not reset when a member leaves. */
    private final AtomicLong turns = new AtomicLong();

    TopicListeners(long formed) {
        this.formed = formed;
    }

    long formed() {
        return formed;
    }

    int size() {
        return inOrder.size();
    }

    Subscriber get(int index) {
        return inOrder.get(index).subscriber();
    }

    /** Adds a listener that joined after all others. */
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
        turns.set(next);
    }

    /** Writes the round-robin counter and the listeners. */
    void write(DataOutput out, ToLongFunction<SignalListener> idOf) throws IOException {
        out.writeLong(turns.get());
        out.writeInt(inOrder.size());
        for (ListenRegistration listenRegistration : inOrder) {
            out.writeLong(idOf.applyAsLong(listenRegistration.subscriber().listener()));
        }
    }

    /** The index to begin with for the next signal; each call advances the round robin. */
    int nextIndex() {
        return (int) Long.remainderUnsigned(turns.getAndIncrement(), inOrder.size());
    }
}
