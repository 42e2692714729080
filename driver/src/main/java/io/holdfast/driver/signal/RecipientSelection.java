package io.holdfast.driver.signal;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Who gets one signal, while that is being found out. Nobody gets it twice. */
final class RecipientSelection {
    private static final int FEW = 8;

    private final List<SignalListener> chosen = new ArrayList<>(2);
    private final List<SignalListener> full = new ArrayList<>(0);
    private int cost;

    /** The same as {@link #chosen}, once there are more than a few and somebody asks. */
    private @Nullable Set<SignalListener> index;

    /** Tells those who were found without room, and got no copy in another way either. */
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

    /** Everybody. */
    void all(@Nullable GroupMembers groupMembers) {
        for (int i = 0; groupMembers != null && i < groupMembers.size(); i++) {
            SignalListener signalListener = groupMembers.get(i).listener();
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

    /** One of a group: the first from the one whose turn it is that has no copy, but room. */
    void one(GroupMembers group) {
        int size = group.size();
        int first = group.nextIndex();
        SignalListener tooSlow = null;
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
            if (tooSlow == null) {
                tooSlow = signalListener;
            }
        }
        if (tooSlow != null) {
            full.add(tooSlow);
        }
    }

    private void add(SignalListener signalListener) {
        chosen.add(signalListener);
        if (index != null) {
            index.add(signalListener);
        }
    }

    @SuppressWarnings("ReferenceEquality") // the very listener
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
