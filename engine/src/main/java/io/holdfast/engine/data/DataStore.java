package io.holdfast.engine.data;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Quotas;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.codec.SnapshotInput;
import io.holdfast.engine.codec.SnapshotOutput;
import io.holdfast.engine.hash.FieldHash;
import io.holdfast.engine.hash.HashedRecord;
import io.holdfast.engine.hash.StateHash;
import io.holdfast.engine.time.Deadlines;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.KeyScan;
import io.holdfast.engine.view.ListView;
import io.holdfast.engine.view.ValueView;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Counters, values and lists: the part of an engine that {@link Command.Data} is about. The cost of
 * an operation does not depend on the number of entries.
 */
public final class DataStore {
    private static final int CHARGED_STEP = 64;

    private EngineSettings engineSettings;
    private final StateHash stateHash;
    final DataEntries<CounterEntry> counters;
    final DataEntries<ValueEntry> values;
    final DataEntries<ListEntry> lists;

    /** The expiries of values with a time to live. */
    final Deadlines<ValueEntry> expiries;

    /**
     * When counters of 0 and values without a time to live may be collected. Using an entry does
     * not reschedule it; its last activity is checked when the deadline is due.
     */
    final Deadlines<DataEntry> idleEnds;

    private long nowNanos = Long.MIN_VALUE;

    public DataStore(EngineSettings engineSettings, StateHash stateHash) {
        this.engineSettings = engineSettings;
        this.stateHash = stateHash;
        this.counters = new DataEntries<>(stateHash);
        this.values = new DataEntries<>(stateHash);
        this.lists = new DataEntries<>(stateHash);
        this.expiries = new Deadlines<>(stateHash);
        this.idleEnds = new Deadlines<>(stateHash);
    }

    public void configure(EngineSettings next) {
        boolean same =
                engineSettings.idleNanos() == next.idleNanos()
                        && engineSettings.keepsValues() == next.keepsValues();
        engineSettings = next;
        if (same) {
            return;
        }
        for (CounterEntry counterEntry : counters.inOrder()) {
            idleEnds.remove(counterEntry);
            if (counterEntry.value == 0) {
                markIdle(counterEntry);
            }
        }
        for (ValueEntry valueEntry : values.inOrder()) {
            if (!valueEntry.expires) {
                idleEnds.remove(valueEntry);
                markIdle(valueEntry);
            }
        }
    }

    /** Not after the first expiry of a value; {@link Long#MAX_VALUE} if no value expires. */
    public long nextDeadlineNanos() {
        return expiries.next();
    }

    /** Expires the values that were due at {@code until}. */
    public void expireDue(long until, long now, Quotas quotas) {
        nowNanos = now;
        for (ValueEntry due = expiries.pollDue(until); due != null; due = expiries.pollDue(until)) {
            remove(due, quotas);
        }
    }

    /** Applies a command; everything due at this time must have been expired before. */
    public Effect apply(Command.Data c, long now, Quotas quotas) {
        nowNanos = now;
        return switch (c.operation()) {
            case DataOperation.Increment(long delta) -> {
                long old = read(c.key());
                long sum = old + delta;
                boolean overflow = ((old ^ sum) & (delta ^ sum)) < 0;
                yield overflow ? Refusal.OUT_OF_RANGE.to(c) : change(c, sum, quotas);
            }
            case DataOperation.Decrement(long delta) -> {
                long old = read(c.key());
                long rest = old - delta;
                boolean overflow = ((old ^ delta) & (old ^ rest)) < 0;
                yield overflow ? Refusal.OUT_OF_RANGE.to(c) : change(c, rest, quotas);
            }
            case DataOperation.GetCounter() -> number(c, read(c.key()));
            case DataOperation.SetCounter(long value) ->
                    change(c, value, quotas) instanceof Effect.Refused refused
                            ? refused
                            : changed(c);
            case DataOperation.SetValue(var value, long ttl) -> set(c, value, ttl, quotas);
            case DataOperation.GetValue() -> {
                ValueEntry valueEntry = touch(values.get(c.key()));
                yield valueEntry == null ? absent(c) : found(c, valueEntry.content);
            }
            case DataOperation.DeleteValue() -> {
                ValueEntry valueEntry = values.get(c.key());
                if (valueEntry != null) {
                    unschedule(valueEntry);
                    remove(valueEntry, quotas);
                }
                yield changed(c);
            }
            case DataOperation.Push(var end, var item) -> push(c, end, item, quotas);
            case DataOperation.Pop(var end) -> pop(c, end, quotas);
            case DataOperation.Length() -> {
                ListEntry list = touch(lists.get(c.key()));
                yield number(c, list == null ? 0 : list.size());
            }
            case DataOperation.Range(long first, long last) -> range(c, first, last);
        };
    }

    public boolean isKnown(DataOperation operation, Key key) {
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

    /** Writes all entries, in order of creation. */
    public void write(SnapshotOutput out) throws IOException {
        new DataSnapshotWriter(this, out).write();
    }

    /** Reads what {@link #write} wrote at a time; this store must be empty. */
    public void read(SnapshotInput in, long atNanos) throws IOException {
        new DataSnapshotReader(this, in).read();
        nowNanos = atNanos;
    }

    /** Visits the records of all entries. */
    public void eachRecord(Consumer<HashedRecord> visitor) {
        counters.inOrder().forEach(visitor);
        values.inOrder().forEach(visitor);
        lists.inOrder().forEach(visitor);
    }

    /** Mixes in what is in no record. */
    public void hash(FieldHash out) {
        out.number(expiries.lastSequence()).number(idleEnds.lastSequence());
    }

    ListEntry newList(Key key) {
        return new ListEntry(key, stateHash.isOn());
    }

    void setContent(ValueEntry valueEntry, ByteString content) {
        valueEntry.content = content;
        if (stateHash.isOn()) {
            valueEntry.contentHash = new FieldHash().bytes(content.bytes()).value();
        }
    }

    /** Reserves all entries with new quotas, which must not refuse a reservation. */
    public void reserveAll(Quotas quotas) {
        for (DataEntries<? extends DataEntry> dataEntries : List.of(counters, values, lists)) {
            for (DataEntry dataEntry : dataEntries.inOrder()) {
                boolean _ = quotas.reserveEntry(dataEntry.key, dataEntry.creator);
                switch (dataEntry) {
                    case CounterEntry _ -> {}
                    case ValueEntry valueEntry -> {
                        boolean _ = quotas.reserveContent(chargedBytes(valueEntry.content));
                    }
                    case ListEntry list -> {
                        for (int i = 0; i < list.size(); i++) {
                            boolean _ = quotas.reserveContent(chargedBytes(list.item(i)));
                        }
                    }
                }
            }
        }
    }

    private long read(Key key) {
        CounterEntry counterEntry = touch(counters.get(key));
        return counterEntry == null ? 0 : counterEntry.value;
    }

    private Effect change(Command.Data c, long value, Quotas quotas) {
        CounterEntry counterEntry = counters.get(c.key());
        if (counterEntry == null) {
            Quotas.Client client = quotas.client(c.session());
            if (!quotas.reserveEntry(c.key(), client)) {
                return Refusal.TOO_MANY_ENTRIES.to(c);
            }
            counterEntry = new CounterEntry(c.key());
            counterEntry.creator = client;
            counters.add(counterEntry);
        }
        touch(counterEntry);
        counterEntry.value = value;
        if (value == 0) {
            markIdle(counterEntry);
        }
        return number(c, value);
    }

    private Effect set(Command.Data c, ByteString content, long ttlNanos, Quotas quotas) {
        ValueEntry valueEntry = values.get(c.key());
        if (valueEntry == null) {
            Quotas.Client client = quotas.client(c.session());
            if (!quotas.reserveEntry(c.key(), client)) {
                return Refusal.TOO_MANY_ENTRIES.to(c);
            }
            if (!quotas.reserveContent(chargedBytes(content))) {
                quotas.returnEntry(c.key(), client);
                return Refusal.TOO_MANY_ENTRIES.to(c);
            }
            valueEntry = new ValueEntry(c.key());
            valueEntry.creator = client;
            values.add(valueEntry);
        } else {
            int growth = chargedBytes(content) - chargedBytes(valueEntry.content);
            if (growth > 0 && !quotas.reserveContent(growth)) {
                return Refusal.TOO_MANY_ENTRIES.to(c);
            }
            if (growth < 0) {
                quotas.returnContent(-growth);
            }
        }
        touch(valueEntry);
        setContent(valueEntry, content);
        unschedule(valueEntry);
        valueEntry.expires = ttlNanos != Command.FOREVER;
        if (valueEntry.expires) {
            expiries.schedule(valueEntry, after(ttlNanos));
        } else {
            markIdle(valueEntry);
        }
        return changed(c);
    }

    private Effect push(Command.Data c, DataOperation.End end, ByteString item, Quotas quotas) {
        ListEntry list = lists.get(c.key());
        if (list != null && isFull(list)) {
            return Refusal.LIST_FULL.to(c);
        }
        if (list == null) {
            Quotas.Client client = quotas.client(c.session());
            if (!quotas.reserveEntry(c.key(), client)) {
                return Refusal.TOO_MANY_ENTRIES.to(c);
            }
            if (!quotas.reserveContent(chargedBytes(item))) {
                quotas.returnEntry(c.key(), client);
                return Refusal.TOO_MANY_ENTRIES.to(c);
            }
            list = newList(c.key());
            list.creator = client;
            lists.add(list);
        } else if (!quotas.reserveContent(chargedBytes(item))) {
            return Refusal.LIST_FULL.to(c);
        }
        touch(list);
        list.push(end, item);
        return number(c, list.size());
    }

    /** The ring of a list cannot be longer than the largest power of two below 2^31. */
    private boolean isFull(ListEntry list) {
        return list.size() >= 1 << 30
                || (engineSettings.maxListLength() > 0
                        && list.size() >= engineSettings.maxListLength());
    }

    private Effect pop(Command.Data c, DataOperation.End end, Quotas quotas) {
        ListEntry list = touch(lists.get(c.key()));
        if (list == null) {
            return absent(c);
        }
        ByteString item = list.pop(end);
        quotas.returnContent(chargedBytes(item));
        if (list.size() == 0) {
            lists.remove(list);
            returnEntry(list, quotas);
        }
        return found(c, item);
    }

    private Effect range(Command.Data c, long first, long last) {
        ListEntry list = touch(lists.get(c.key()));
        int size = list == null ? 0 : list.size();
        long from = Math.max(0, first < 0 ? first + size : first);
        long to = Math.min(size - 1L, last < 0 ? last + size : last);
        List<ByteString> items =
                list == null || from > to ? List.of() : list.range((int) from, (int) to + 1);
        return new Effect.Items(c.session(), c.request(), items);
    }

    // ---- collection

    public boolean hasCollectable(long before) {
        return idleEnds.next() <= before;
    }

    /**
     * Drops entries whose idle time ended at {@code before} or earlier, examining at most {@code
     * max}.
     */
    public void collect(long before, int max, Quotas quotas) {
        for (int i = 0; i < max; i++) {
            DataEntry dataEntry = idleEnds.pollDue(before);
            if (dataEntry == null) {
                return;
            }
            if (dataEntry instanceof CounterEntry counterEntry && counterEntry.value != 0) {
                continue; // scheduled again when it becomes 0
            }
            long end = engineSettings.idleEnd(dataEntry.lastActivityNanos);
            if (end > before) {
                idleEnds.schedule(dataEntry, end);
                continue;
            }
            switch (dataEntry) {
                case CounterEntry counterEntry -> {
                    counters.remove(counterEntry);
                    returnEntry(counterEntry, quotas);
                }
                case ValueEntry valueEntry -> remove(valueEntry, quotas);
                case ListEntry list ->
                        throw new IllegalStateException("lists are not collected: " + list.key);
            }
        }
    }

    private void markIdle(DataEntry dataEntry) {
        boolean kept = dataEntry instanceof ValueEntry && engineSettings.keepsValues();
        if (!kept && !dataEntry.isScheduled()) {
            idleEnds.schedule(dataEntry, engineSettings.idleEnd(dataEntry.lastActivityNanos));
        }
    }

    private void unschedule(ValueEntry valueEntry) {
        Deadlines<? super ValueEntry> deadlines = valueEntry.expires ? expiries : idleEnds;
        deadlines.remove(valueEntry);
    }

    private void remove(ValueEntry valueEntry, Quotas quotas) {
        values.remove(valueEntry);
        quotas.returnContent(chargedBytes(valueEntry.content));
        valueEntry.content = ByteString.EMPTY; // the hash may refer to the entry for a while
        returnEntry(valueEntry, quotas);
    }

    private static void returnEntry(DataEntry dataEntry, Quotas quotas) {
        quotas.returnEntry(dataEntry.key, dataEntry.creator);
    }

    /**
     * Rounded up, so that a value can be replaced by one of similar length when no memory is left.
     */
    private static int chargedBytes(ByteString content) {
        return (content.length() / CHARGED_STEP + 1) * CHARGED_STEP;
    }

    private <E extends DataEntry> @Nullable E touch(@Nullable E entry) {
        if (entry != null) {
            entry.lastActivityNanos = nowNanos;
            stateHash.changed(entry);
        }
        return entry;
    }

    private long after(long durationNanos) {
        long time = nowNanos + durationNanos;
        return time < nowNanos ? Long.MAX_VALUE : time;
    }

    // ---- results

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

    // ---- views

    public KeyScan<CounterView> listCounters() {
        return new KeyScan<>(
                counters.inOrder(),
                (counterEntry, now) ->
                        new CounterView(
                                counterEntry.key, counterEntry.value, idle(counterEntry, now)));
    }

    public KeyScan<ValueView> listValues() {
        return new KeyScan<>(values.inOrder(), this::view);
    }

    public KeyScan<ListView> listLists() {
        return new KeyScan<>(
                lists.inOrder(),
                (list, now) -> new ListView(list.key, list.size(), idle(list, now)));
    }

    /** Null if the value is due and only has not been removed yet. */
    private @Nullable ValueView view(ValueEntry valueEntry, long now) {
        long at = Math.max(nowNanos, now);
        long end = expiries.timeOf(valueEntry);
        if (valueEntry.expires && end <= at) {
            return null;
        }
        long left = !valueEntry.expires ? 0 : end == Long.MAX_VALUE ? Command.FOREVER : end - at;
        return new ValueView(
                valueEntry.key, valueEntry.content.length(), left, idle(valueEntry, now));
    }

    private long idle(DataEntry dataEntry, long now) {
        return Math.max(nowNanos, now) - dataEntry.lastActivityNanos;
    }
}
