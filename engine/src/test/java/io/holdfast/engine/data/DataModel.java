package io.holdfast.engine.data;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.ListView;
import io.holdfast.engine.view.ValueView;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A reference model of counters, values and lists: one list of entries, and every query is a linear
 * search.
 */
public final class DataModel {
    private static final long NEVER = Long.MAX_VALUE;

    private enum Sort {
        COUNTER,
        VALUE,
        LIST
    }

    private static final class ModelEntry {
        final Sort sort;
        final Key key;
        long lastActivity;
        long number;
        ByteString content = ByteString.EMPTY;
        boolean mortal;
        long end = NEVER;
        final List<ByteString> items = new ArrayList<>();

        ModelEntry(Sort sort, Key key) {
            this.sort = sort;
            this.key = key;
        }
    }

    private final EngineSettings engineSettings;
    private final int maxEntries;
    private final List<ModelEntry> entries = new ArrayList<>();
    private long now = Long.MIN_VALUE;

    public DataModel(EngineSettings engineSettings, int maxEntries) {
        this.engineSettings = engineSettings;
        this.maxEntries = maxEntries;
    }

    /** Advances the time and removes expired values. */
    public void passTo(long time) {
        now = time;
        entries.removeIf(it -> it.end <= now);
    }

    public Effect apply(Command.Data c, boolean memoryLeft) {
        return switch (c.operation()) {
            case DataOperation.Increment(long delta) ->
                    add(c, BigInteger.valueOf(delta), memoryLeft);
            case DataOperation.Decrement(long delta) ->
                    add(c, BigInteger.valueOf(delta).negate(), memoryLeft);
            case DataOperation.GetCounter() ->
                    counted(c, use(Sort.COUNTER, c).map(it -> it.number).orElse(0L));
            case DataOperation.SetCounter(long number) -> {
                Optional<ModelEntry> counter = useOrMake(Sort.COUNTER, c, memoryLeft);
                counter.ifPresent(it -> it.number = number);
                yield changed(c, counter);
            }
            case DataOperation.SetValue(var content, long ttl) -> {
                Optional<ModelEntry> value = useOrMake(Sort.VALUE, c, memoryLeft);
                value.ifPresent(
                        it -> {
                            it.content = content;
                            it.mortal = ttl != Command.FOREVER;
                            it.end = it.mortal ? end(ttl) : NEVER;
                        });
                yield changed(c, value);
            }
            case DataOperation.GetValue() ->
                    use(Sort.VALUE, c)
                            .<Effect>map(it -> found(c, it.content))
                            .orElseGet(() -> absent(c));
            case DataOperation.DeleteValue() -> {
                entries.removeIf(it -> it.sort == Sort.VALUE && it.key.equals(c.key()));
                yield new Effect.Changed(c.session(), c.request());
            }
            case DataOperation.Push(var side, var item) -> push(c, side, item, memoryLeft);
            case DataOperation.Pop(var side) -> pop(c, side);
            case DataOperation.Length() ->
                    counted(c, use(Sort.LIST, c).map(it -> it.items.size()).orElse(0));
            case DataOperation.Range(long first, long last) -> range(c, first, last);
        };
    }

    public long nextDeadline() {
        return entries.stream().mapToLong(it -> it.end).min().orElse(NEVER);
    }

    /** The number of entries that may be collected now. */
    public long collectable() {
        return entries.stream().filter(this::isCollectable).count();
    }

    /** Removes what is not in the views, checks that it was collectable, and returns how many. */
    public int forget(DataViews left) {
        List<ModelEntry> gone = entries.stream().filter(it -> !isShown(it, left)).toList();
        if (!gone.stream().allMatch(this::isCollectable)) {
            throw new AssertionError("dropped too early, one of " + gone.size());
        }
        entries.removeAll(gone);
        return gone.size();
    }

    public Set<Object> views() {
        Set<Object> views = new HashSet<>();
        for (ModelEntry it : entries) {
            long idle = now - it.lastActivity;
            views.add(
                    switch (it.sort) {
                        case COUNTER -> new CounterView(it.key, it.number, idle);
                        case VALUE -> new ValueView(it.key, it.content.length(), left(it), idle);
                        case LIST -> new ListView(it.key, it.items.size(), idle);
                    });
        }
        return views;
    }

    private static boolean isShown(ModelEntry it, DataViews views) {
        return switch (it.sort) {
            case COUNTER -> views.counters().stream().anyMatch(view -> view.key().equals(it.key));
            case VALUE -> views.values().stream().anyMatch(view -> view.key().equals(it.key));
            case LIST -> views.lists().stream().anyMatch(view -> view.key().equals(it.key));
        };
    }

    private boolean isCollectable(ModelEntry it) {
        boolean mayGo =
                switch (it.sort) {
                    case COUNTER -> it.number == 0;
                    case VALUE -> !it.mortal;
                    case LIST -> false;
                };
        boolean longAgo = now - it.lastActivity > engineSettings.idleNanos();
        return mayGo && (longAgo || engineSettings.idleNanos() == 0);
    }

    private long left(ModelEntry value) {
        if (!value.mortal) {
            return 0;
        }
        return value.end == NEVER ? Command.FOREVER : value.end - now;
    }

    private long end(long ttl) {
        return now > 0 && ttl > NEVER - now ? NEVER : now + ttl;
    }

    private Effect add(Command.Data c, BigInteger delta, boolean memoryLeft) {
        long before = use(Sort.COUNTER, c).map(it -> it.number).orElse(0L);
        BigInteger sum = BigInteger.valueOf(before).add(delta);
        if (sum.bitLength() > 63) {
            return refused(c, Refusal.OUT_OF_RANGE);
        }
        Optional<ModelEntry> counter = useOrMake(Sort.COUNTER, c, memoryLeft);
        counter.ifPresent(it -> it.number = sum.longValue());
        return counter.isPresent()
                ? counted(c, sum.longValue())
                : refused(c, Refusal.TOO_MANY_ENTRIES);
    }

    private Effect push(
            Command.Data c, DataOperation.End side, ByteString item, boolean memoryLeft) {
        Optional<ModelEntry> known = find(Sort.LIST, c);
        int most = engineSettings.maxListLength();
        if (known.isPresent() && (!memoryLeft || (most > 0 && known.get().items.size() >= most))) {
            return refused(c, Refusal.LIST_FULL);
        }
        Optional<ModelEntry> list = useOrMake(Sort.LIST, c, memoryLeft);
        if (list.isEmpty()) {
            return refused(c, Refusal.TOO_MANY_ENTRIES);
        }
        List<ByteString> items = list.get().items;
        items.add(side == DataOperation.End.FRONT ? 0 : items.size(), item);
        return counted(c, items.size());
    }

    private Effect pop(Command.Data c, DataOperation.End side) {
        Optional<ModelEntry> list = use(Sort.LIST, c);
        if (list.isEmpty()) {
            return absent(c);
        }
        List<ByteString> items = list.get().items;
        ByteString item =
                side == DataOperation.End.FRONT ? items.removeFirst() : items.removeLast();
        if (items.isEmpty()) {
            entries.remove(list.get());
        }
        return found(c, item);
    }

    private Effect range(Command.Data c, long first, long last) {
        List<ByteString> items = use(Sort.LIST, c).map(it -> it.items).orElse(List.of());
        List<ByteString> chosen = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            if (isAtOrAfter(i, first, items.size()) && !isAtOrAfter(i - 1, last, items.size())) {
                chosen.add(items.get(i));
            }
        }
        return new Effect.Items(c.session(), c.request(), chosen);
    }

    /** Whether an index is not before the one that a number refers to. */
    private static boolean isAtOrAfter(int place, long number, int size) {
        BigInteger named = BigInteger.valueOf(number);
        BigInteger counted = number < 0 ? named.add(BigInteger.valueOf(size)) : named;
        return BigInteger.valueOf(place).compareTo(counted) >= 0;
    }

    private Optional<ModelEntry> find(Sort sort, Command.Data c) {
        return entries.stream().filter(it -> it.sort == sort && it.key.equals(c.key())).findAny();
    }

    /** A request counts as an activity, whatever its result. */
    private Optional<ModelEntry> use(Sort sort, Command.Data c) {
        Optional<ModelEntry> found = find(sort, c);
        found.ifPresent(it -> it.lastActivity = now);
        return found;
    }

    private Optional<ModelEntry> useOrMake(Sort sort, Command.Data c, boolean memoryLeft) {
        if (find(sort, c).isEmpty()
                && memoryLeft
                && (maxEntries == 0 || entries.size() < maxEntries)) {
            entries.add(new ModelEntry(sort, c.key()));
        }
        return use(sort, c);
    }

    private static Effect changed(Command.Data c, Optional<ModelEntry> changed) {
        return changed.isPresent()
                ? new Effect.Changed(c.session(), c.request())
                : refused(c, Refusal.TOO_MANY_ENTRIES);
    }

    private static Effect counted(Command.Data c, long number) {
        return new Effect.Counted(c.session(), c.request(), number);
    }

    private static Effect found(Command.Data c, ByteString content) {
        return new Effect.Found(c.session(), c.request(), content);
    }

    private static Effect absent(Command.Data c) {
        return new Effect.Absent(c.session(), c.request());
    }

    private static Effect refused(Command.Data c, Refusal reason) {
        return new Effect.Refused(c.session(), c.request(), reason);
    }
}
