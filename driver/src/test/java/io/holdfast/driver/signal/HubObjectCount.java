package io.holdfast.driver.signal;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/** Counts the objects reachable from a hub, to find state that no listing shows. */
final class HubObjectCount {
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Object> open = new ArrayDeque<>();

    private HubObjectCount() {}

    static int of(SignalHub hub) {
        HubObjectCount weight = new HubObjectCount();
        weight.visit(hub);
        while (!weight.open.isEmpty()) {
            weight.follow(weight.open.pop());
        }
        return weight.seen.size();
    }

    private void visit(Object value) {
        if (value != null && seen.add(value)) {
            open.push(value);
        }
    }

    private void follow(Object object) {
        if (object instanceof Map<?, ?> map) {
            map.forEach(
                    (key, value) -> {
                        visit(key);
                        visit(value);
                    });
        } else if (object instanceof Collection<?> collection) {
            collection.forEach(this::visit);
        } else if (object.getClass().getPackage() == SignalHub.class.getPackage()) {
            fields(object);
        }
    }

    private void fields(Object object) {
        for (Field field : object.getClass().getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                field.setAccessible(true);
                try {
                    visit(field.get(object));
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }
}
