package io.holdfast.driver.signal;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** Who gets one signal, while that is being found out. Nobody gets it twice. */
final class Choice {
    private static final int FEW = 8;

    private final List<Listener> chosen = new ArrayList<>(2);
    private final List<Listener> full = new ArrayList<>(0);
    private int looks;

    /** The same as {@link #chosen}, once there are more than a few and somebody asks. */
    private @Nullable Set<Listener> index;

    /** Tells those who were found without room, and got no copy in another way either. */
    void overrunTheFull() {
        for (Listener listener : full) {
            if (!has(listener)) {
                listener.overrun();
            }
        }
    }

    Recipients recipients() {
        return new Recipients(chosen, looks);
    }

    void addLooks(int more) {
        looks += more;
    }

    /** Everybody. */
    void all(@Nullable Members members) {
        for (int i = 0; members != null && i < members.size(); i++) {
            Listener listener = members.get(i).listener();
            looks++;
            if (has(listener)) {
                continue;
            }
            if (listener.isFull()) {
                full.add(listener);
            } else {
                add(listener);
            }
        }
    }

    /** One of a group: the first from the one whose turn it is that has no copy, but room. */
    void one(Members group) {
        int size = group.size();
        int first = group.nextPlace();
        Listener tooSlow = null;
        for (int i = 0; i < size; i++) {
            Listener listener =
                    group.get(first + i < size ? first + i : first + i - size).listener();
            looks++;
            if (has(listener)) {
                continue;
            }
            if (!listener.isFull()) {
                add(listener);
                return;
            }
            if (tooSlow == null) {
                tooSlow = listener;
            }
        }
        if (tooSlow != null) {
            full.add(tooSlow);
        }
    }

    private void add(Listener listener) {
        chosen.add(listener);
        if (index != null) {
            index.add(listener);
        }
    }

    @SuppressWarnings("ReferenceEquality") // the very listener
    private boolean has(Listener listener) {
        if (chosen.size() <= FEW) {
            for (int i = 0; i < chosen.size(); i++) {
                if (chosen.get(i) == listener) {
                    return true;
                }
            }
            return false;
        }
        if (index == null) {
            index = Collections.newSetFromMap(new IdentityHashMap<>());
            index.addAll(chosen);
        }
        return index.contains(listener);
    }
}
