package io.holdfast.engine.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.lock.EngineObjectCount;
import io.holdfast.engine.lock.EngineSnapshot;
import io.holdfast.engine.lock.LockEngine;
import io.holdfast.engine.lock.TestQuotas;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An engine with quotas and a manual clock, for tests of counters, values and lists. Checks the
 * invariants after every step.
 */
public final class DataScenario {
    public static final Duration IDLE = Duration.ofSeconds(60);

    /** The result of a data request. */
    public sealed interface Result {}

    public record Counted(long value) implements Result {}

    public record Content(ByteString value) implements Result {}

    public record Items(List<ByteString> items) implements Result {}

    public record Refused(Refusal reason) implements Result {}

    public enum Plain implements Result {
        DONE,
        NOTHING
    }

    public final TestQuotas quotas = new TestQuotas();
    public final LockEngine engine;
    private final EngineSettings engineSettings;
    private long nowNanos = 1_000_000_000;
    private long lastRequest;

    public DataScenario() {
        this(new EngineSettings(0, IDLE.toNanos(), true));
    }

    public DataScenario(EngineSettings engineSettings) {
        this.engineSettings = engineSettings;
        engine = new LockEngine(engineSettings);
    }

    public static DataScenario withIdleTime(Duration idle) {
        return new DataScenario(new EngineSettings(0, idle.toNanos(), true));
    }

    public static DataScenario withMaxListLength(int most) {
        return new DataScenario(new EngineSettings(0, IDLE.toNanos(), true, most));
    }

    public static Result number(long value) {
        return new Counted(value);
    }

    public static Result content(String value) {
        return new Content(ByteString.of(value));
    }

    public static Result items(String... items) {
        return new Items(Arrays.stream(items).map(ByteString::of).toList());
    }

    public static Result refused(Refusal reason) {
        return new Refused(reason);
    }

    public Result incr(String name, long delta) {
        return submit(name, new DataOperation.Increment(delta));
    }

    public Result decr(String name, long delta) {
        return submit(name, new DataOperation.Decrement(delta));
    }

    public Result get(String name) {
        return submit(name, new DataOperation.GetCounter());
    }

    public Result cset(String name, long value) {
        return submit(name, new DataOperation.SetCounter(value));
    }

    /** Without a time to live. */
    public Result kset(String name, String value) {
        return kset(name, value, Command.FOREVER);
    }

    public Result kset(String name, String value, Duration ttl) {
        return kset(name, value, ttl.toNanos());
    }

    public Result kset(String name, String value, long ttlNanos) {
        return submit(name, new DataOperation.SetValue(ByteString.of(value), ttlNanos));
    }

    public Result kget(String name) {
        return submit(name, new DataOperation.GetValue());
    }

    public Result kdel(String name) {
        return submit(name, new DataOperation.DeleteValue());
    }

    public Result lpush(String name, String item) {
        return submit(name, new DataOperation.Push(DataOperation.End.FRONT, ByteString.of(item)));
    }

    public Result rpush(String name, String item) {
        return submit(name, new DataOperation.Push(DataOperation.End.BACK, ByteString.of(item)));
    }

    public Result lpop(String name) {
        return submit(name, new DataOperation.Pop(DataOperation.End.FRONT));
    }

    public Result rpop(String name) {
        return submit(name, new DataOperation.Pop(DataOperation.End.BACK));
    }

    public Result llen(String name) {
        return submit(name, new DataOperation.Length());
    }

    public Result lrange(String name, long first, long last) {
        return submit(name, new DataOperation.Range(first, last));
    }

    /** A list of these items, in this order. */
    public void list(String name, String... items) {
        for (String item : items) {
            rpush(name, item);
        }
    }

    public Result submit(String name, DataOperation operation) {
        return submit(7, Key.of(name), operation);
    }

    public Result submit(long session, Key key, DataOperation operation) {
        long request = ++lastRequest;
        byte[] before = operation.mayCreate() ? stateNow() : new byte[0];
        List<Effect> effects = apply(new Command.Data(session, request, key, operation));
        assertThat(effects).hasSize(1);
        Effect effect = effects.getFirst();
        assertThat(effect.session()).isEqualTo(session);
        assertThat(effect.request()).isEqualTo(request);
        if (effect instanceof Effect.Refused) {
            assertThat(operation.mayCreate()).as("%s may be refused", operation).isTrue();
            assertThat(EngineSnapshot.of(engine)).as("a refusal changes nothing").isEqualTo(before);
        }
        return switch (effect) {
            case Effect.Counted(long _, long _, long value) -> new Counted(value);
            case Effect.Found(long _, long _, ByteString value) -> new Content(value);
            case Effect.Items(long _, long _, var items) -> new Items(items);
            case Effect.Refused(long _, long _, Refusal reason) -> new Refused(reason);
            case Effect.Changed _ -> Plain.DONE;
            case Effect.Absent _ -> Plain.NOTHING;
            case Effect.Granted _,
                    Effect.Queued _,
                    Effect.Released _,
                    Effect.Renewed _,
                    Effect.TimedOut _,
                    Effect.Cancelled _,
                    Effect.TryAcquired _,
                    Effect.Inspected _,
                    Effect.Orphaned _,
                    Effect.Offered _,
                    Effect.OfferExpired _,
                    Effect.Expired _,
                    Effect.Revoked _,
                    Effect.ForceReleased _,
                    Effect.StatusReport _ ->
                    throw new AssertionError("an effect about locks: " + effect);
        };
    }

    /** The state after everything due by now has expired. */
    private byte[] stateNow() {
        apply(new Command.Tick());
        return EngineSnapshot.of(engine);
    }

    public void advance(Duration duration) {
        nowNanos += duration.toNanos();
        tick();
    }

    /** Advances the clock without a command to the engine. */
    public void advanceSilently(Duration duration) {
        nowNanos += duration.toNanos();
    }

    public void setBack(Duration duration) {
        nowNanos -= duration.toNanos();
    }

    public void setClock(long nanos) {
        nowNanos = nanos;
    }

    public long now() {
        return nowNanos;
    }

    public void tick() {
        apply(new Command.Tick());
    }

    public void collect() {
        collect(Integer.MAX_VALUE);
    }

    public void collect(int most) {
        apply(new Command.Collect(most));
    }

    public DataViews views() {
        return DataViews.of(engine, nowNanos);
    }

    public List<String> counters() {
        return views().counters().stream().map(view -> view.key().toString()).toList();
    }

    public List<String> values() {
        return views().values().stream().map(view -> view.key().toString()).toList();
    }

    public List<String> lists() {
        return views().lists().stream().map(view -> view.key().toString()).toList();
    }

    /** Asserts that nothing is left: no entry, no reservation, no deadline, no object. */
    public void assertNothingIsLeft() {
        LockEngine fresh = new LockEngine(engineSettings);
        fresh.apply(new Command.Tick(), nowNanos, new TestQuotas(), new ArrayList<>());
        assertThat(views().all()).isEmpty();
        assertThat(quotas.entries).isZero();
        assertThat(quotas.pieces).isZero();
        assertThat(quotas.contentBytes).isZero();
        assertThat(engine.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(engine.hasCollectable(Long.MAX_VALUE)).isFalse();
        assertThat(EngineObjectCount.of(engine)).isEqualTo(EngineObjectCount.of(fresh));
        assertThat(EngineSnapshot.of(engine)).isEqualTo(EngineSnapshot.of(fresh));
    }

    private List<Effect> apply(Command command) {
        List<Effect> effects = new ArrayList<>();
        engine.apply(command, nowNanos, quotas, effects);
        DataViews.of(engine, nowNanos).check(quotas, 0);
        return effects;
    }
}
