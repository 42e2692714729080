package io.holdfast.cluster.state;

import io.holdfast.driver.ClientUsage;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.memory.MemoryBudget;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.driver.memory.StateSizeEstimates;
import io.holdfast.engine.Key;
import io.holdfast.engine.Quotas;
import io.holdfast.engine.hash.FieldHash;
import io.holdfast.engine.lock.LockEngine;

import org.jspecify.annotations.Nullable;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.function.LongFunction;

/**
 * The fence counter and the key limits, equal on every node. Memory and the limits of each client
 * are only counted here: both are checked before a command is proposed.
 */
final class ReplicatedQuotas implements Quotas {
    private final LongFunction<@Nullable ClientUsage> clients;
    private final Charges names;
    private final Charges holds;
    private final Charges waits;
    private final Charges data;
    private KeyCountLimits keyCountLimits;
    private long lastFence;
    private long keys;
    private long transientKeys;
    private long entries;

    /** The bytes reserved from a budget. */
    private static final class Charges {
        private final MemoryBudget budget;
        private long bytes;

        Charges(MemoryBudget budget) {
            this.budget = budget;
        }

        void charge(long more) {
            bytes += more;
            budget.reserve(more);
        }

        void refund(long less) {
            bytes -= less;
            budget.release(less);
        }

        void refundAll() {
            refund(bytes);
        }
    }

    /**
     * @param clients returns the client of a session of this node, and null for other sessions
     */
    ReplicatedQuotas(
            MemoryBudgets memory,
            KeyCountLimits keyCountLimits,
            LongFunction<@Nullable ClientUsage> clients) {
        this.names = new Charges(memory.names());
        this.holds = new Charges(memory.holds());
        this.waits = new Charges(memory.waits());
        this.data = new Charges(memory.data());
        this.keyCountLimits = keyCountLimits;
        this.clients = clients;
    }

    void limit(KeyCountLimits next) {
        keyCountLimits = next;
    }

    long lastFence() {
        return lastFence;
    }

    void raiseFence(long floor) {
        lastFence = Math.max(lastFence, floor);
    }

    @Override
    public long nextFence() {
        return ++lastFence;
    }

    @Override
    public @Nullable Client client(long session) {
        return clients.apply(session);
    }

    @Override
    public boolean reserveKey(Key key, @Nullable Client client) {
        if (isFull(keys, keyCountLimits.keys())) {
            return false;
        }
        keys++;
        names.charge(StateSizeEstimates.name(key));
        count(client, ClientUsage.Counted.NAME);
        return true;
    }

    @Override
    public void returnKey(Key key, @Nullable Client client) {
        keys--;
        names.refund(StateSizeEstimates.name(key));
        discount(client, ClientUsage.Counted.NAME);
    }

    @Override
    public boolean reserveTransientKey(Key key, @Nullable Client client) {
        if (isFull(transientKeys, keyCountLimits.transientKeys())) {
            return false;
        }
        transientKeys++;
        names.charge(StateSizeEstimates.name(key));
        count(client, ClientUsage.Counted.NAME);
        return true;
    }

    @Override
    public void returnTransientKey(Key key, @Nullable Client client) {
        transientKeys--;
        names.refund(StateSizeEstimates.name(key));
        discount(client, ClientUsage.Counted.NAME);
    }

    @Override
    public boolean reserveHold(@Nullable Client client) {
        holds.charge(StateSizeEstimates.HOLD);
        count(client, ClientUsage.Counted.HOLD);
        return true;
    }

    @Override
    public void returnHold(@Nullable Client client) {
        holds.refund(StateSizeEstimates.HOLD);
        discount(client, ClientUsage.Counted.HOLD);
    }

    @Override
    public boolean reserveWait(@Nullable Client client) {
        waits.charge(StateSizeEstimates.WAIT);
        count(client, ClientUsage.Counted.WAIT);
        return true;
    }

    @Override
    public void returnWait(@Nullable Client client) {
        waits.refund(StateSizeEstimates.WAIT);
        discount(client, ClientUsage.Counted.WAIT);
    }

    @Override
    public void grantWait(@Nullable Client client) {
        returnWait(client);
        boolean _ = reserveHold(client);
    }

    @Override
    public void passHold(@Nullable Client from, @Nullable Client to) {
        discount(from, ClientUsage.Counted.HOLD);
        count(to, ClientUsage.Counted.HOLD);
    }

    @Override
    public boolean reserveEntry(Key key, @Nullable Client client) {
        if (isFull(entries, keyCountLimits.entries())) {
            return false;
        }
        entries++;
        data.charge(StateSizeEstimates.entry(key));
        count(client, ClientUsage.Counted.ENTRY);
        return true;
    }

    @Override
    public void returnEntry(Key key, @Nullable Client client) {
        entries--;
        data.refund(StateSizeEstimates.entry(key));
        discount(client, ClientUsage.Counted.ENTRY);
    }

    @Override
    public boolean reserveContent(int bytes) {
        data.charge(bytes);
        return true;
    }

    @Override
    public void returnContent(int bytes) {
        data.refund(bytes);
    }

    /** Reserves memory for the contents of an engine that was just read. */
    void chargeFor(LockEngine engine) {
        long readKeys = keys;
        long readTransientKeys = transientKeys;
        long readEntries = entries;
        KeyCountLimits readLimits = keyCountLimits;
        keyCountLimits = KeyCountLimits.NONE;
        engine.reserveAll(this);
        keyCountLimits = readLimits;
        keys = readKeys;
        transientKeys = readTransientKeys;
        entries = readEntries;
    }

    /**
     * Releases all memory.
     *
     * @param engine whose contents are also returned to the limits of the clients
     */
    void releaseAll(LockEngine engine) {
        engine.reserveAll(new Discount());
        names.refundAll();
        holds.refundAll();
        waits.refundAll();
        data.refundAll();
    }

    private static void count(@Nullable Client client, ClientUsage.Counted item) {
        if (client instanceof ClientUsage usage) {
            usage.add(item);
        }
    }

    private static void discount(@Nullable Client client, ClientUsage.Counted item) {
        if (client instanceof ClientUsage usage) {
            usage.release(item);
        }
    }

    private static boolean isFull(long count, long limit) {
        return limit > 0 && count >= limit;
    }

    /** Mixes in what {@link #write} writes. */
    void hash(FieldHash out) {
        out.number(lastFence).number(keys).number(transientKeys).number(entries);
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(lastFence);
        out.writeLong(keys);
        out.writeLong(transientKeys);
        out.writeLong(entries);
        out.writeLong(0); // unused: memory is counted again on reading
    }

    void read(DataInput in) throws IOException {
        lastFence = in.readLong();
        keys = in.readLong();
        transientKeys = in.readLong();
        entries = in.readLong();
        in.readLong();
    }

    /**
     * Returns to the clients what an engine reserves from it. An engine reserves exactly what it
     * contains.
     */
    private static final class Discount implements Quotas {
        private static boolean discounted(@Nullable Client client, ClientUsage.Counted item) {
            discount(client, item);
            return true;
        }

        @Override
        public boolean reserveKey(Key key, @Nullable Client client) {
            return discounted(client, ClientUsage.Counted.NAME);
        }

        @Override
        public boolean reserveTransientKey(Key key, @Nullable Client client) {
            return discounted(client, ClientUsage.Counted.NAME);
        }

        @Override
        public boolean reserveHold(@Nullable Client client) {
            return discounted(client, ClientUsage.Counted.HOLD);
        }

        @Override
        public boolean reserveWait(@Nullable Client client) {
            return discounted(client, ClientUsage.Counted.WAIT);
        }

        @Override
        public boolean reserveEntry(Key key, @Nullable Client client) {
            return discounted(client, ClientUsage.Counted.ENTRY);
        }

        @Override
        public boolean reserveContent(int bytes) {
            return true;
        }

        @Override
        public long nextFence() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void returnKey(Key key, @Nullable Client client) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void returnTransientKey(Key key, @Nullable Client client) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void returnHold(@Nullable Client client) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void passHold(@Nullable Client from, @Nullable Client to) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void returnWait(@Nullable Client client) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void grantWait(@Nullable Client client) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void returnEntry(Key key, @Nullable Client client) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void returnContent(int bytes) {
            throw new UnsupportedOperationException();
        }
    }
}
