package io.holdfast.driver;

import io.holdfast.driver.ClientUsage.Counted;
import io.holdfast.driver.memory.MemoryBudget;
import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.driver.memory.StateSizeEstimates;
import io.holdfast.engine.Key;
import io.holdfast.engine.Quotas;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/**
 * The quotas that the shards of a local driver share. A reservation is one atomic step per limit.
 */
final class LocalQuotas implements Quotas {
    private final Fences fences;
    private final MemoryBudgets memory;
    private final Quota keys;
    private final Quota transientKeys;
    private final Quota entries;
    private final ClientLimits clientLimits;
    private final LongFunction<@Nullable ClientUsage> clients;

    /**
     * @param perClient the limits of each client
     * @param clients the usage of an open session, null if the session is closed
     */
    LocalQuotas(
            Fences fences,
            KeyCountLimits keyCountLimits,
            ClientLimits perClient,
            MemoryBudgets memory,
            LongFunction<@Nullable ClientUsage> clients) {
        this.fences = fences;
        this.memory = memory;
        this.keys = new Quota(keyCountLimits.keys());
        this.entries = new Quota(keyCountLimits.entries());
        this.transientKeys = new Quota(keyCountLimits.transientKeys());
        this.clientLimits = perClient;
        this.clients = clients;
    }

    @Override
    public long nextFence() {
        return fences.next();
    }

    @Override
    public @Nullable Client client(long session) {
        return clientLimits.equals(ClientLimits.NONE) ? null : clients.apply(session);
    }

    @Override
    public boolean reserveKey(Key key, @Nullable Client client) {
        return reserve(
                memory.names(),
                StateSizeEstimates.name(key),
                keys,
                client,
                Counted.NAME,
                clientLimits.names());
    }

    @Override
    public void returnKey(Key key, @Nullable Client client) {
        keys.release();
        release(memory.names(), StateSizeEstimates.name(key), client, Counted.NAME);
    }

    @Override
    public boolean reserveTransientKey(Key key, @Nullable Client client) {
        return reserve(
                memory.names(),
                StateSizeEstimates.name(key),
                transientKeys,
                client,
                Counted.NAME,
                clientLimits.names());
    }

    @Override
    public void returnTransientKey(Key key, @Nullable Client client) {
        transientKeys.release();
        release(memory.names(), StateSizeEstimates.name(key), client, Counted.NAME);
    }

    @Override
    public boolean reserveHold(@Nullable Client client) {
        return reserve(
                memory.holds(),
                StateSizeEstimates.HOLD,
                null,
                client,
                Counted.HOLD,
                clientLimits.names());
    }

    @Override
    public void returnHold(@Nullable Client client) {
        release(memory.holds(), StateSizeEstimates.HOLD, client, Counted.HOLD);
    }

    @Override
    public boolean reserveWait(@Nullable Client client) {
        return reserve(
                memory.waits(),
                StateSizeEstimates.WAIT,
                null,
                client,
                Counted.WAIT,
                clientLimits.waits());
    }

    @Override
    public void returnWait(@Nullable Client client) {
        release(memory.waits(), StateSizeEstimates.WAIT, client, Counted.WAIT);
    }

    @Override
    public void grantWait(@Nullable Client client) {
        returnWait(client);
        memory.holds().reserve(StateSizeEstimates.HOLD);
        count(client, Counted.HOLD);
    }

    @Override
    public void passHold(@Nullable Client from, @Nullable Client to) {
        discount(from, Counted.HOLD);
        count(to, Counted.HOLD);
    }

    @Override
    public boolean reserveEntry(Key key, @Nullable Client client) {
        return reserve(
                memory.data(),
                StateSizeEstimates.entry(key),
                entries,
                client,
                Counted.ENTRY,
                clientLimits.entries());
    }

    @Override
    public void returnEntry(Key key, @Nullable Client client) {
        entries.release();
        release(memory.data(), StateSizeEstimates.entry(key), client, Counted.ENTRY);
    }

    @Override
    public boolean reserveContent(int bytes) {
        return memory.data().tryReserve(bytes);
    }

    @Override
    public void returnContent(int bytes) {
        memory.data().release(bytes);
    }

    private static boolean reserve(
            MemoryBudget budget,
            long bytes,
            @Nullable Quota quota,
            @Nullable Client client,
            Counted item,
            int clientLimit) {
        ClientUsage usage = (ClientUsage) client;
        if (usage != null && !usage.tryAdd(item, clientLimit)) {
            return false;
        }
        if (budget.tryReserve(bytes)) {
            if (quota == null || quota.tryReserve()) {
                return true;
            }
            budget.release(bytes);
        }
        if (usage != null) {
            usage.release(item);
        }
        return false;
    }

    private static void release(
            MemoryBudget budget, long bytes, @Nullable Client client, Counted item) {
        budget.release(bytes);
        discount(client, item);
    }

    private static void count(@Nullable Client client, Counted item) {
        if (client instanceof ClientUsage usage) {
            usage.add(item);
        }
    }

    private static void discount(@Nullable Client client, Counted item) {
        if (client instanceof ClientUsage usage) {
            usage.release(item);
        }
    }

    /** A count with an upper limit; 0 is no limit. */
    private static final class Quota {
        private final long limit;
        private final AtomicLong used = new AtomicLong();

        Quota(long limit) {
            this.limit = limit;
        }

        boolean tryReserve() {
            long now = used.get();
            while (limit == 0 || now < limit) { // a refused one must never be visible in the count
                if (used.compareAndSet(now, now + 1)) {
                    return true;
                }
                now = used.get();
            }
            return false;
        }

        void release() {
            used.decrementAndGet();
        }
    }
}
