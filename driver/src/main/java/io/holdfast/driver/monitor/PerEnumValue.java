package io.holdfast.driver.monitor;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** An object for each value of an enum. */
final class PerEnumValue<E extends Enum<E>, T> {
    private final Map<E, T> all;

    PerEnumValue(Class<E> values, Supplier<T> make) {
        all = new EnumMap<>(values);
        for (E value : values.getEnumConstants()) {
            all.put(value, make.get());
        }
    }

    T of(E value) {
        return Objects.requireNonNull(all.get(value));
    }
}
