package io.holdfast.driver.monitor;

import java.util.concurrent.atomic.AtomicLong;

/** A counter for each pair of values of two enums. One thread at a time may count; any may read. */
final class CounterTable<A extends Enum<A>, B extends Enum<B>> {
    private final PerEnumValue<A, PerEnumValue<B, AtomicLong>> cells;

    CounterTable(Class<A> rows, Class<B> columns) {
        cells = new PerEnumValue<>(rows, () -> new PerEnumValue<>(columns, AtomicLong::new));
    }

    void count(A row, B column) {
        AtomicLong cell = cells.of(row).of(column);
        cell.setOpaque(cell.getPlain() + 1);
    }

    long get(A row, B column) {
        return cells.of(row).of(column).getOpaque();
    }
}
