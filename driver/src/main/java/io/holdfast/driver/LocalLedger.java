package io.holdfast.driver;

import io.holdfast.driver.ClientUsage.Counted;
import io.holdfast.engine.Key;
import io.holdfast.engine.Ledger;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/** What the shards of a local driver share. Each reservation is one atomic step for each limit. */
final class LocalLedger implements Ledger {
    private final Fences fences;
    private final MemoryBudgets memory;
    private final Quota keys;
    private final Quota claims;
    private final Quota entries;
    private final ClientCaps caps;
    private final LongFunction<@Nullable ClientUsage> clients;

    /**
     * @param perClient how much each client may have
     * @param clients of open sessions
     */
    LocalLedger(
            Fences fences,
            Caps caps,
            ClientCaps perClient,
            MemoryBudgets memory,
            LongFunction<@Nullable ClientUsage> clients) {
        this.fences = fences;
        this.memory = memory;
        this.keys = new Quota(caps.keys());
        this.entries = new Quota(caps.entries());
        this.claims = new Quota(caps.claims());
        this.caps = perClient;
        this.clients = clients;
    }

    @Override
    public long nextFence() {
        return fences.next();
    }

    @Override
    public @Nullable Client client(long session) {
        return caps.equals(ClientCaps.NONE) ? null : clients.apply(session);
    }

    @Override
    public boolean reserveKey(Key key, @Nullable Client client) {
        return reserve(
                memory.names(), StateSize.name(key), keys, client, Counted.NAME, caps.names());
    }

    @Override
    public void returnKey(Key key, @Nullable Client client) {
        keys.giveBack();
        giveBack(memory.names(), StateSize.name(key), client, Counted.NAME);
    }

    @Override
    public boolean reserveClaim(Key key, @Nullable Client client) {
        return reserve(
                memory.names(), StateSize.name(key), claims, client, Counted.NAME, caps.names());
    }

    @Override
    public void returnClaim(Key key, @Nullable Client client) {
        claims.giveBack();
        giveBack(memory.names(), StateSize.name(key), client, Counted.NAME);
    }

    @Override
    public boolean reserveHold(@Nullable Client client) {
        return reserve(memory.holds(), StateSize.HOLD, null, client, Counted.HOLD, caps.names());
    }

    @Override
    public void returnHold(@Nullable Client client) {
        giveBack(memory.holds(), StateSize.HOLD, client, Counted.HOLD);
    }

    @Override
    public boolean reserveWait(@Nullable Client client) {
        return reserve(memory.waits(), StateSize.WAIT, null, client, Counted.WAIT, caps.waits());
    }

    @Override
    public void returnWait(@Nullable Client client) {
        giveBack(memory.waits(), StateSize.WAIT, client, Counted.WAIT);
    }

    @Override
    public void grantWait(@Nullable Client client) {
        returnWait(client);
        memory.holds().charge(StateSize.HOLD);
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
                StateSize.entry(key),
                entries,
                client,
                Counted.ENTRY,
                caps.entries());
    }

    @Override
    public void returnEntry(Key key, @Nullable Client client) {
        entries.giveBack();
        giveBack(memory.data(), StateSize.entry(key), client, Counted.ENTRY);
    }

    @Override
    public boolean reserveContent(int bytes) {
        return memory.data().take(bytes);
    }

    @Override
    public void returnContent(int bytes) {
        memory.data().giveBack(bytes);
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
        if (budget.take(bytes)) {
            if (quota == null || quota.take()) {
                return true;
            }
            budget.giveBack(bytes);
        }
        if (usage != null) {
            usage.giveBack(item);
        }
        return false;
    }

    private static void giveBack(
            MemoryBudget budget, long bytes, @Nullable Client client, Counted item) {
        budget.giveBack(bytes);
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
        private final long most;
        private final AtomicLong taken = new AtomicLong();

        Quota(long most) {
            this.most = most;
        }

        boolean take() {
            long now = taken.get();
            while (most == 0 || now < most) { // a refused one must never show in the count
                if (taken.compareAndSet(now, now + 1)) {
                    return true;
                }
                now = taken.get();
            }
            return false;
        }

        void giveBack() {
            taken.decrementAndGet();
        }
    }
}
