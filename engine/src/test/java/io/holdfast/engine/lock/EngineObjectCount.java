package io.holdfast.engine.lock;

import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.HeldCounts;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Counts the objects reachable from an engine, and the slots of its arrays, to find state that no
 * listing shows.
 */
public final class EngineObjectCount {
    private static final String ENGINE = Key.class.getPackageName();

    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Object> open = new ArrayDeque<>();
    private long weight;

    private EngineObjectCount() {}

    public static long of(LockEngine engine) {
        // Usage counters stay once they were created: they are few, and not per key.
        for (ResourceKind resourceKind : ResourceKind.values()) {
            HeldCounts _ = engine.views().countHeld(Namespace.DEFAULT, resourceKind);
        }
        EngineObjectCount weight = new EngineObjectCount();
        weight.visit(engine);
        while (!weight.open.isEmpty()) {
            weight.follow(weight.open.pop());
        }
        return weight.weight;
    }

    private void visit(Object value) {
        if (value != null && seen.add(value)) {
            open.push(value);
            weight++;
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
        } else if (object.getClass().isArray()) {
            weight += Array.getLength(object);
            if (object instanceof Object[] array) {
                for (Object element : array) {
                    visit(element);
                }
            }
        } else if (!(object instanceof Enum<?>)
                && object.getClass().getPackageName().startsWith(ENGINE)) {
            fields(object);
        }
    }

    private void fields(Object object) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
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
}
