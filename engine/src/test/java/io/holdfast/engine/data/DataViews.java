package io.holdfast.engine.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Key;
import io.holdfast.engine.lock.LockEngine;
import io.holdfast.engine.lock.TestQuotas;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.KeyScan;
import io.holdfast.engine.view.ListView;
import io.holdfast.engine.view.ValueView;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/** The data views of an engine, read in one slice, and their invariants. */
public record DataViews(List<CounterView> counters, List<ValueView> values, List<ListView> lists) {
    public static DataViews of(LockEngine engine, long now) {
        return new DataViews(
                read(engine.views().listCounters(), now),
                read(engine.views().listValues(), now),
                read(engine.views().listLists(), now));
    }

    private static <T> List<T> read(KeyScan<T> keyScan, long now) {
        List<T> views = new ArrayList<>();
        while (keyScan.next(1_000, now, views)) {}
        return views;
    }

    /** All views of the three types. */
    public List<Object> all() {
        List<Object> all = new ArrayList<>(counters);
        all.addAll(values);
        all.addAll(lists);
        return all;
    }

    /** The number of counters, values and lists. */
    public long entries() {
        return all().size();
    }

    /** The charged bytes of values and items; no test has an item of 64 bytes or more. */
    private long contentBytes() {
        return values.stream().mapToLong(value -> (value.length() / 64 + 1) * 64L).sum()
                + lists.stream().mapToLong(ListView::length).sum() * 64;
    }

    /** Checks the invariants that do not depend on earlier requests. */
    public void check(TestQuotas quotas, long otherPieces) {
        assertOnce(counters.stream().map(CounterView::key).toList());
        assertOnce(values.stream().map(ValueView::key).toList());
        assertOnce(lists.stream().map(ListView::key).toList());
        assertThat(counters).allMatch(it -> it.idleNanos() >= 0);
        assertThat(values).allMatch(it -> it.idleNanos() >= 0 && it.ttlLeftNanos() >= 0);
        assertThat(lists).allMatch(it -> it.idleNanos() >= 0 && it.length() > 0);
        assertThat(quotas.entries).as("charged entries").isEqualTo(entries());
        assertThat(quotas.pieces).as("holds and waits").isEqualTo(otherPieces);
        assertThat(quotas.contentBytes).as("contents").isEqualTo(contentBytes());
    }

    private static void assertOnce(List<Key> keys) {
        assertThat(new HashSet<>(keys)).as("each is listed once").hasSameSizeAs(keys);
    }
}
