package io.holdfast.client;

import io.holdfast.client.internal.service.AcquireRequest.Kind;
import io.holdfast.client.internal.service.LockService;
import io.holdfast.client.internal.service.ServiceFeatures;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A client over one or more services. */
final class RemoteHoldfast implements Holdfast {
    private final ClientCore core;
    private final ImmediateCommands commands;
    private final Supplier<DflockdConnection> opener;
    private final Runnable end;

    /**
     * @param end closes what the client owns besides the services; runs after these are closed
     */
    RemoteHoldfast(ClientCore core, Supplier<DflockdConnection> opener, Runnable end) {
        this.core = core;
        commands = new ImmediateCommands(core);
        this.opener = opener;
        this.end = end;
    }

    private HoldfastLock handle(Kind kind, String key, long limit) {
        return new LockHandle(
                core,
                List.of(new PendingAcquire.LockSpec(kind, ArgumentValidation.key(key), limit)),
                false,
                HoldOptions.DEFAULT);
    }

    @Override
    public HoldfastLock lock(String key) {
        return handle(Kind.LOCK, key, 1);
    }

    @Override
    public HoldfastLock semaphore(String key, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1 but is " + limit);
        }
        return handle(Kind.SEMAPHORE, key, limit);
    }

    @Override
    public HoldfastReadWriteLock readWriteLock(String key) {
        return new ReadWrite(ArgumentValidation.key(key), handle(Kind.READ, key, 1), lock(key));
    }

    private record ReadWrite(String key, HoldfastLock read, HoldfastLock write)
            implements HoldfastReadWriteLock {}

    @Override
    public HoldfastLock multiLock(Collection<String> keys) {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("keys must not be empty");
        }
        var specs = new ArrayList<PendingAcquire.LockSpec>();
        keys.stream()
                .map(ArgumentValidation::key)
                .distinct()
                .sorted(
                        (a, b) ->
                                Arrays.compareUnsigned(
                                        a.getBytes(StandardCharsets.UTF_8),
                                        b.getBytes(StandardCharsets.UTF_8)))
                .forEach(key -> specs.add(new PendingAcquire.LockSpec(Kind.LOCK, key, 1)));
        return new LockHandle(core, List.copyOf(specs), true, HoldOptions.DEFAULT);
    }

    @Override
    public HoldfastLock multiLock(String... keys) {
        return multiLock(List.of(keys));
    }

    @Override
    public LeaderElection leaderElection(String key) {
        return new LockLeaderElection(core, lock(key));
    }

    @Override
    public Signals signals() {
        return new ServerSignals(core, commands);
    }

    @Override
    public Counter counter(String key) {
        return new DataCommands.ServerCounter(commands, ArgumentValidation.key(key));
    }

    @Override
    public KeyValues kv() {
        return new DataCommands.ServerValues(commands);
    }

    @Override
    public ItemList list(String key) {
        return new DataCommands.ServerList(commands, ArgumentValidation.key(key));
    }

    @Override
    public KeyInfo info(String key) {
        return new KeyInfoReader(core, commands).info(ArgumentValidation.key(key));
    }

    @Override
    public List<ServerStats> stats() {
        return new KeyInfoReader(core, commands).stats();
    }

    @Override
    public <T> T withLock(String key, Duration timeout, Callable<T> task) throws Exception {
        return lock(key).withLock(timeout, task);
    }

    @Override
    public DflockdConnection openConnection() {
        core.ensureOpen("connection");
        return opener.get();
    }

    @Override
    public Features features() {
        return new Features(
                all(ServiceFeatures::tagged),
                all(ServiceFeatures::fences),
                all(ServiceFeatures::readWrite),
                all(ServiceFeatures::unbound),
                all(ServiceFeatures::resume));
    }

    private boolean all(Predicate<ServiceFeatures> has) {
        return core.services().stream().map(LockService::features).allMatch(has);
    }

    @Override
    public void close() {
        if (core.close()) {
            core.services().forEach(LockService::close);
            end.run();
        }
    }

    @Override
    public String toString() {
        return "Holdfast" + core.services().stream().map(LockService::address).toList();
    }
}
