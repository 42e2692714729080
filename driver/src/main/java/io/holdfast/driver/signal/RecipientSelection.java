package io.holdfast.driver.signal;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Collects the recipients of one signal, each once. */
final class RecipientSelection {
    private static final int FEW = 8;

    private final List<SignalListener> chosen = new ArrayList<>(2);
    private final List<SignalListener> full = new ArrayList<>(0);
    private int cost;

    /** The elements of {@link #chosen} as a set; created on the first lookup in more than a few. */
    private @Nullable Set<SignalListener> index;

    /**
     * Notifies the listeners that were full and have not been chosen by another registration
     * either.
     */
    void overrunTheFull() {
        for (SignalListener signalListener : full) {
            if (!has(signalListener)) {
                signalListener.overrun();
            }
        }
    }

    SignalRecipients recipients() {
        return new SignalRecipients(chosen, cost);
    }

    void addCost(int more) {
        cost += more;
    }

    /** Adds all listeners. */
    void addAll(@Nullable TopicListeners topicListeners) {
        for (int i = 0; topicListeners != null && i < topicListeners.size(); i++) {
            SignalListener signalListener = topicListeners.get(i).listener();
            cost++;
            if (has(signalListener)) {
                continue;
            }
            if (signalListener.isFull()) {
                full.add(signalListener);
            } else {
                add(signalListener);
            }
        }
    }

    /**
     * Adds one member of a group: starting at the round-robin index, the first that has not been
     * chosen and is not full.
     */
    void addOne(TopicListeners group) {
        int size = group.size();
        int first = group.nextIndex();
        SignalListener firstFull = null;
        for (int i = 0; i < size; i++) {
            SignalListener signalListener =
                    group.get(first + i < size ? first + i : first + i - size).listener();
            cost++;
            if (has(signalListener)) {
                continue;
            }
            if (!signalListener.isFull()) {
                add(signalListener);
                return;
            }
            if (firstFull == null) {
                firstFull = signalListener;
            }
        }
        if (firstFull != null) {
            full.add(firstFull);
        }
    }

    private void add(SignalListener signalListener) {
        chosen.add(signalListener);
        if (index != null) {
            index.add(signalListener);
        }
    }

    @SuppressWarnings("ReferenceEquality") // identity is meant
    private boolean has(SignalListener signalListener) {
        if (chosen.size() <= FEW) {
            for (int i = 0; i < chosen.size(); i++) {
                if (chosen.get(i) == signalListener) {
                    return true;
                }
            }
            return false;
        }
        if (index == null) {
            index = Collections.newSetFromMap(new IdentityHashMap<>());
            index.addAll(chosen);
        }
        return index.contains(signalListener);
    }
}
