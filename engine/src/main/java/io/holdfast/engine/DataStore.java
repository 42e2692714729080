package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** Counters, values and lists. Each operation costs the same however many there are. */
final class DataStore {
    private static final int CHARGED_STEP = 64;

    private Settings settings;
    final Space<Counter> counters = new Space<>();
    final Space<Value> values = new Space<>();
    final Space<ItemList> lists = new Space<>();

    /** When values with a time to live end. */
    final Deadlines ends = new Deadlines();

    /**
     * When counters of 0 and values without a time to live may be forgotten. One that is used again
     * stays where it is and is looked at when its time comes.
     */
    final Deadlines idleEnds = new Deadlines();

    long nowNanos = Long.MIN_VALUE;

    DataStore(Settings settings) {
        this.settings = settings;
    }

    void configure(Settings next) {
        boolean same =
                settings.idleNanos() == next.idleNanos()
                        && settings.keepsValues() == next.keepsValues();
        settings = next;
        if (same) {
            return;
        }
        for (Roster.Node node = counters.inOrder().first(); node != null; node = node.after()) {
            if (node instanceof Counter counter) {
                idleEnds.remove(counter);
                if (counter.value == 0) {
                    rest(counter);
                }
            }
        }
        for (Roster.Node node = values.inOrder().first(); node != null; node = node.after()) {
            if (node instanceof Value value && !value.expires) {
                idleEnds.remove(value);
                rest(value);
            }
        }
    }

    /** When the first value ends at the earliest; {@link Long#MAX_VALUE} if none does. */
    long nextDeadlineNanos() {
        return ends.next();
    }

    /** Ends the values whose time had come at {@code until}. */
    void endWhatIsDue(long until, long now, Ledger ledger) {
        nowNanos = now;
        for (Deadline due = ends.pollDue(until); due != null; due = ends.pollDue(until)) {
            remove((Value) due, ledger);
        }
    }

    /** Applies a command after everything due at this time has ended. */
    Effect apply(Command.Data c, long now, Ledger ledger) {
        nowNanos = now;
        return switch (c.operation()) {
            case DataOperation.Increment(long delta) -> {
                long old = read(c.key());
                long sum = old + delta;
                boolean overflow = ((old ^ sum) & (delta ^ sum)) < 0;
                yield overflow ? refuse(c, Refusal.OUT_OF_RANGE) : change(c, sum, ledger);
            }
            case DataOperation.Decrement(long delta) -> {
                long old = read(c.key());
                long rest = old - delta;
                boolean overflow = ((old ^ delta) & (old ^ rest)) < 0;
                yield overflow ? refuse(c, Refusal.OUT_OF_RANGE) : change(c, rest, ledger);
            }
            case DataOperation.GetCounter() -> number(c, read(c.key()));
            case DataOperation.SetCounter(long value) ->
                    change(c, value, ledger) instanceof Effect.Refused refused
                            ? refused
                            : changed(c);
            case DataOperation.SetValue(var value, long ttl) -> set(c, value, ttl, ledger);
            case DataOperation.GetValue() -> {
                Value value = touch(values.get(c.key()));
                yield value == null ? absent(c) : found(c, value.content);
            }
            case DataOperation.DeleteValue() -> {
                Value value = values.get(c.key());
                if (value != null) {
                    unschedule(value);
                    remove(value, ledger);
                }
                yield changed(c);
            }
            case DataOperation.Push(var end, var item) -> push(c, end, item, ledger);
            case DataOperation.Pop(var end) -> pop(c, end, ledger);
            case DataOperation.Length() -> {
                ItemList list = touch(lists.get(c.key()));
                yield number(c, list == null ? 0 : list.size());
            }
            case DataOperation.Range(long first, long last) -> range(c, first, last);
        };
    }

    boolean isKnown(DataOperation operation, Key key) {
        return switch (operation) {
            case DataOperation.Increment _,
                    DataOperation.Decrement _,
                    DataOperation.GetCounter _,
                    DataOperation.SetCounter _ ->
                    counters.get(key) != null;
            case DataOperation.SetValue _, DataOperation.GetValue _, DataOperation.DeleteValue _ ->
                    values.get(key) != null;
            case DataOperation.Push _,
                    DataOperation.Pop _,
                    DataOperation.Length _,
                    DataOperation.Range _ ->
                    lists.get(key) != null;
        };
    }

    /** See {@link LockEngine#reserveAll}. */
    void reserveAll(Ledger ledger) {
        for (Space<? extends Entry> space : List.of(counters, values, lists)) {
            for (Roster.Node node = space.inOrder().first(); node != null; node = node.after()) {
                if (!(node instanceof Entry entry)) {
                    continue;
                }
                boolean _ = ledger.reserveEntry(entry.key, entry.creator);
                switch (entry) {
                    case Counter _ -> {}
                    case Value value -> {
                        boolean _ = ledger.reserveContent(chargedBytes(value.content));
                    }
                    case ItemList list -> {
                        for (int i = 0; i < list.size(); i++) {
                            boolean _ = ledger.reserveContent(chargedBytes(list.item(i)));
                        }
                    }
                }
            }
        }
    }

    private long read(Key key) {
        Counter counter = touch(counters.get(key));
        return counter == null ? 0 : counter.value;
    }

    private Effect change(Command.Data c, long value, Ledger ledger) {
        Counter counter = counters.get(c.key());
        if (counter == null) {
            Ledger.Client client = ledger.client(c.session());
            if (!ledger.reserveEntry(c.key(), client)) {
                return refuse(c, Refusal.TOO_MANY_ENTRIES);
            }
            counter = new Counter(c.key());
            counter.creator = client;
            counters.add(counter);
        }
        touch(counter);
        counter.value = value;
        if (value == 0) {
            rest(counter);
        }
        return number(c, value);
    }

    private Effect set(Command.Data c, ByteString content, long ttlNanos, Ledger ledger) {
        Value value = values.get(c.key());
        if (value == null) {
            Ledger.Client client = ledger.client(c.session());
            if (!ledger.reserveEntry(c.key(), client)) {
                return refuse(c, Refusal.TOO_MANY_ENTRIES);
            }
            if (!ledger.reserveContent(chargedBytes(content))) {
                ledger.returnEntry(c.key(), client);
                return refuse(c, Refusal.TOO_MANY_ENTRIES);
            }
            value = new Value(c.key());
            value.creator = client;
            values.add(value);
        } else {
            int growth = chargedBytes(content) - chargedBytes(value.content);
            if (growth > 0 && !ledger.reserveContent(growth)) {
                return refuse(c, Refusal.TOO_MANY_ENTRIES);
            }
            if (growth < 0) {
                ledger.returnContent(-growth);
            }
        }
        touch(value);
        value.content = content;
        unschedule(value);
        value.expires = ttlNanos != Command.FOREVER;
        if (value.expires) {
            ends.schedule(value, after(ttlNanos));
        } else {
            rest(value);
        }
        return changed(c);
    }

    private Effect push(Command.Data c, DataOperation.End end, ByteString item, Ledger ledger) {
        ItemList list = lists.get(c.key());
        if (list != null && isFull(list)) {
            return refuse(c, Refusal.LIST_FULL);
        }
        if (list == null) {
            Ledger.Client client = ledger.client(c.session());
            if (!ledger.reserveEntry(c.key(), client)) {
                return refuse(c, Refusal.TOO_MANY_ENTRIES);
            }
            if (!ledger.reserveContent(chargedBytes(item))) {
                ledger.returnEntry(c.key(), client);
                return refuse(c, Refusal.TOO_MANY_ENTRIES);
            }
            list = new ItemList(c.key());
            list.creator = client;
            lists.add(list);
        } else if (!ledger.reserveContent(chargedBytes(item))) {
            return refuse(c, Refusal.LIST_FULL);
        }
        touch(list);
        list.push(end, item);
        return number(c, list.size());
    }

    /** No ring can be longer than the largest power of two below 2^31. */
    private boolean isFull(ItemList list) {
        return list.size() >= 1 << 30
                || (settings.maxListLength() > 0 && list.size() >= settings.maxListLength());
    }

    private Effect pop(Command.Data c, DataOperation.End end, Ledger ledger) {
        ItemList list = touch(lists.get(c.key()));
        if (list == null) {
            return absent(c);
        }
        ByteString item = list.pop(end);
        ledger.returnContent(chargedBytes(item));
        if (list.size() == 0) {
            lists.remove(list);
            returnEntry(list, ledger);
        }
        return found(c, item);
    }

    private Effect range(Command.Data c, long first, long last) {
        ItemList list = touch(lists.get(c.key()));
        int size = list == null ? 0 : list.size();
        long from = Math.max(0, first < 0 ? first + size : first);
        long to = Math.min(size - 1L, last < 0 ? last + size : last);
        List<ByteString> items =
                list == null || from > to ? List.of() : list.range((int) from, (int) to + 1);
        return new Effect.Items(c.session(), c.request(), items);
    }

    // ---- collection

    boolean hasCollectable(long before) {
        return idleEnds.next() <= before;
    }

    /** Drops what has been idle since before a time, looking at no more than {@code most}. */
    void collect(long before, int most, Ledger ledger) {
        for (int i = 0; i < most; i++) {
            if (!(idleEnds.pollDue(before) instanceof Entry entry)) {
                return;
            }
            if (entry instanceof Counter counter && counter.value != 0) {
                continue; // rests again when it is 0 again
            }
            long end = settings.idleEnd(entry.lastActivityNanos);
            if (end > before) {
                idleEnds.schedule(entry, end);
                continue;
            }
            switch (entry) {
                case Counter counter -> {
                    counters.remove(counter);
                    returnEntry(counter, ledger);
                }
                case Value value -> remove(value, ledger);
                case ItemList list -> throw new IllegalStateException("lists stay: " + list.key);
            }
        }
    }

    private void rest(Entry entry) {
        boolean kept = entry instanceof Value && settings.keepsValues();
        if (!kept && !entry.isScheduled()) {
            idleEnds.schedule(entry, settings.idleEnd(entry.lastActivityNanos));
        }
    }

    private void unschedule(Value value) {
        (value.expires ? ends : idleEnds).remove(value);
    }

    private void remove(Value value, Ledger ledger) {
        values.remove(value);
        ledger.returnContent(chargedBytes(value.content));
        returnEntry(value, ledger);
    }

    private static void returnEntry(Entry entry, Ledger ledger) {
        ledger.returnEntry(entry.key, entry.creator);
    }

    /** Rounded up, so that a value can be replaced by a similar one when no memory is left. */
    private static int chargedBytes(ByteString content) {
        return (content.length() / CHARGED_STEP + 1) * CHARGED_STEP;
    }

    private <E extends Entry> @Nullable E touch(@Nullable E entry) {
        if (entry != null) {
            entry.lastActivityNanos = nowNanos;
        }
        return entry;
    }

    private long after(long spanNanos) {
        long time = nowNanos + spanNanos;
        return time < nowNanos ? Long.MAX_VALUE : time;
    }

    // ---- answers

    private static Effect number(Command.Data c, long value) {
        return new Effect.Counted(c.session(), c.request(), value);
    }

    private static Effect changed(Command.Data c) {
        return new Effect.Changed(c.session(), c.request());
    }

    private static Effect found(Command.Data c, ByteString value) {
        return new Effect.Found(c.session(), c.request(), value);
    }

    private static Effect absent(Command.Data c) {
        return new Effect.Absent(c.session(), c.request());
    }

    private static Effect refuse(Command.Data c, Refusal reason) {
        return new Effect.Refused(c.session(), c.request(), reason);
    }

    // ---- views

    Listing<CounterView> listCounters() {
        return new Listing<>(
                counters.inOrder(),
                (named, now) ->
                        named instanceof Counter counter
                                ? new CounterView(counter.key, counter.value, idle(counter, now))
                                : null);
    }

    Listing<ValueView> listValues() {
        return new Listing<>(
                values.inOrder(),
                (named, now) -> named instanceof Value value ? view(value, now) : null);
    }

    Listing<ListView> listLists() {
        return new Listing<>(
                lists.inOrder(),
                (named, now) ->
                        named instanceof ItemList list
                                ? new ListView(list.key, list.size(), idle(list, now))
                                : null);
    }

    /** Null when its time has come and it only waits to be removed. */
    private @Nullable ValueView view(Value value, long now) {
        long at = Math.max(nowNanos, now);
        long end = ends.timeOf(value);
        if (value.expires && end <= at) {
            return null;
        }
        long left = !value.expires ? 0 : end == Long.MAX_VALUE ? Command.FOREVER : end - at;
        return new ValueView(value.key, value.content.length(), left, idle(value, now));
    }

    private long idle(Entry entry, long now) {
        return Math.max(nowNanos, now) - entry.lastActivityNanos;
    }

    void write(SnapshotWriter out) {
        List<Counter> sortedCounters = counters.sorted();
        out.number(sortedCounters.size());
        for (Counter counter : sortedCounters) {
            writeName(counter, out);
            out.number(counter.value);
        }
        List<Value> sortedValues = values.sorted();
        out.number(sortedValues.size());
        for (Value value : sortedValues) {
            writeName(value, out);
            out.bytes(value.content.bytes());
            out.number(value.expires ? 1 : 0);
            out.number(value.expires ? ends.timeOf(value) : 0);
        }
        List<ItemList> sortedLists = lists.sorted();
        out.number(sortedLists.size());
        for (ItemList list : sortedLists) {
            writeName(list, out);
            out.number(list.size());
            for (ByteString item : list.range(0, list.size())) {
                out.bytes(item.bytes());
            }
        }
    }

    private static void writeName(Entry entry, SnapshotWriter out) {
        out.text(entry.key.namespace().name());
        out.bytes(entry.key.bytes());
        out.number(entry.lastActivityNanos);
    }
}
