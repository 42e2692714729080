package io.holdfast.driver;

import io.holdfast.driver.ClientUsage.Counted;
import io.holdfast.engine.Key;
import io.holdfast.engine.Quotas;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/** What the shards of a local driver share. Each reservation is one atomic step for each limit. */
final class LocalQuotas implements Quotas {
    private final Fences fences;
    private final MemoryBudgets memory;
    private final Quota keys;
    private final Quota claims;
    private final Quota entries;
    private final ClientLimits caps;
    private final LongFunction<@Nullable ClientUsage> clients;

    /**
     * @param perClient how much each client may have
     * @param clients of open sessions
     */
    LocalQuotas(
            Fences fences,
            KeyLimits keyLimits,
            ClientLimits perClient,
            MemoryBudgets memory,
            LongFunction<@Nullable ClientUsage> clients) {
        this.fences = fences;
        this.memory = memory;
        this.keys = new Quota(keyLimits.keys());
        this.entries = new Quota(keyLimits.entries());
        this.claims = new Quota(keyLimits.transientKeys());
        this.caps = perClient;
        this.clients = clients;
    }

    @Override
    public long nextFence() {
        return fences.next();
    }

    @Override
    public @Nullable Client client(long session) {
        return caps.equals(ClientLimits.NONE) ? null : clients.apply(session);
    }

    @Override
    public boolean reserveKey(Key key, @Nullable Client client) {
        return reserve(
                memory.names(),
                StateSizeEstimates.name(key),
                keys,
                client,
                Counted.NAME,
                caps.names());
    }

    @Override
    public void returnKey(Key key, @Nullable Client client) {
        keys.release();
        giveBack(memory.names(), StateSizeEstimates.name(key), client, Counted.NAME);
    }

    @Override
    public boolean reserveTransientKey(Key key, @Nullable Client client) {
        return reserve(
                memory.names(),
                StateSizeEstimates.name(key),
                claims,
                client,
                Counted.NAME,
                caps.names());
    }

    @Override
    public void returnTransientKey(Key key, @Nullable Client client) {
        claims.release();
        giveBack(memory.names(), StateSizeEstimates.name(key), client, Counted.NAME);
    }

    @Override
    public boolean reserveHold(@Nullable Client client) {
        return reserve(
                memory.holds(), StateSizeEstimates.HOLD, null, client, Counted.HOLD, caps.names());
    }

    @Override
    public void returnHold(@Nullable Client client) {
        giveBack(memory.holds(), StateSizeEstimates.HOLD, client, Counted.HOLD);
    }

    @Override
    public boolean reserveWait(@Nullable Client client) {
        return reserve(
                memory.waits(), StateSizeEstimates.WAIT, null, client, Counted.WAIT, caps.waits());
    }

    @Override
    public void returnWait(@Nullable Client client) {
        giveBack(memory.waits(), StateSizeEstimates.WAIT, client, Counted.WAIT);
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
                caps.entries());
    }

    @Override
    public void returnEntry(Key key, @Nullable Client client) {
        entries.release();
        giveBack(memory.data(), StateSizeEstimates.entry(key), client, Counted.ENTRY);
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
            int mostOfClient) {
        ClientUsage usage = (ClientUsage) client;
        if (usage != null && !usage.take(item, mostOfClient)) {
            return false;
        }
        if (budget.tryReserve(bytes)) {
            if (quota == null || quota.tryReserve()) {
                return true;
            }
            budget.release(bytes);
        }
        if (usage != null) {
            usage.giveBack(item);
        }
        return false;
    }

    private static void giveBack(
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
            usage.giveBack(item);
        }
    }

    /** A count with an upper bound; 0 is none. */
    private static final class Quota {
        private final long limit;
        private final AtomicLong used = new AtomicLong();

        Quota(long most) {
            this.limit = most;
        }

        boolean tryReserve() {
            long now = used.get();
            while (limit == 0 || now < limit) { // a refused one must never show in the count
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
