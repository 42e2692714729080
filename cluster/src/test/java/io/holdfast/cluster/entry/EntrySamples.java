package io.holdfast.cluster.entry;

import io.holdfast.driver.KeyCountLimits;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** Random entries of every kind, with numbers at the ends of their ranges. */
final class EntrySamples {
    private static final int COMMANDS = 18;
    private static final int OPERATIONS = 11;

    private static final List<ResourceKind> KINDS = List.of(ResourceKind.values());
    private static final List<QueuePolicy> POLICIES = List.of(QueuePolicy.values());

    private final Random random;

    EntrySamples(long seed) {
        random = new Random(seed);
    }

    LogEntry entry() {
        return switch (random.nextInt(13)) {
            case 0 -> new LogEntry.CreateCluster(uuid(), number());
            case 1 -> new LogEntry.ChangeSettings(rules());
            case 2 -> new LogEntry.BeginIncarnation(text(), uuid());
            case 3 -> new LogEntry.EndIncarnation(number());
            case 4 -> new LogEntry.Tick();
            case 5 -> new LogEntry.Collect((int) number());
            case 6 -> new LogEntry.CheckState();
            case 7 -> new LogEntry.Announce(text(), uuid(), random.nextInt(1, Integer.MAX_VALUE));
            case 8 -> new LogEntry.RaiseVersion(random.nextInt(1, Integer.MAX_VALUE));
            default -> batch();
        };
    }

    LogEntry.Batch batch() {
        long incarnation = random.nextBoolean() ? random.nextInt(1, 1000) : number();
        List<BatchItem> items = new ArrayList<>();
        for (int i = random.nextInt(30); i > 0; i--) {
            items.add(item(incarnation));
        }
        return new LogEntry.Batch(incarnation, number(), items);
    }

    private BatchItem item(long incarnation) {
        long session =
                random.nextInt(4) == 0
                        ? number()
                        : (incarnation << 32) | random.nextInt(1, 100_000);
        long request = number();
        return switch (random.nextInt(10)) {
            case 0 -> new BatchItem.RegisterSession(session, text(), text(), random.nextBoolean());
            case 1 -> new BatchItem.EndSession(session, request);
            case 2 -> new BatchItem.Listen(session, request, key(), byteString());
            case 3 -> new BatchItem.Unlisten(session, request, key(), byteString());
            case 4 -> new BatchItem.Emit(session, request, key(), byteString());
            default -> new BatchItem.Submit(command(session, request, key()));
        };
    }

    private Command.Keyed command(long session, long request, Key key) {
        return switch (random.nextInt(COMMANDS + 4)) {
            case 0 ->
                    new Command.Acquire(
                            session,
                            request,
                            kind(),
                            key,
                            number(),
                            duration(),
                            duration(),
                            number(),
                            attributes());
            case 1 ->
                    new Command.Enqueue(
                            session, request, kind(), key, number(), duration(), number(), mode());
            case 2 -> new Command.Await(session, request, kind(), key, duration());
            case 3 -> new Command.Release(session, request, kind(), key, token());
            case 4 -> new Command.Renew(session, request, kind(), key, token(), duration());
            case 5 -> new Command.TryAcquire(session, request, kind(), key, number());
            case 6 -> new Command.ReleaseBySession(session, request, kind(), key);
            case 7 -> new Command.Inspect(session, request, kind(), key);
            case 8 -> new Command.ForceRelease(session, request, kind(), key, number());
            case 9 -> new Command.Cancel(session, request, kind(), key);
            case 10 ->
                    new Command.RequestOffer(
                            session,
                            request,
                            key,
                            mode(),
                            duration(),
                            duration(),
                            duration(),
                            number());
            case 11 -> new Command.Confirm(session, request, key, number());
            case 12 -> new Command.Decline(session, request, key, number());
            case 13 -> new Command.CancelOrRelease(session, request, key, number());
            case 14 -> new Command.QueryStatus(session, request, key, number());
            case 15 -> new Command.Suspend(session, request, key);
            case 16 -> new Command.Resume(session, request, key);
            case 17 -> new Command.Reassert(session, request, key, mode(), duration(), number());
            default -> new Command.Data(session, request, key, operation());
        };
    }

    private DataOperation operation() {
        return switch (random.nextInt(OPERATIONS)) {
            case 0 -> new DataOperation.Increment(number());
            case 1 -> new DataOperation.Decrement(number());
            case 2 -> new DataOperation.GetCounter();
            case 3 -> new DataOperation.SetCounter(number());
            case 4 -> new DataOperation.SetValue(byteString(), duration());
            case 5 -> new DataOperation.GetValue();
            case 6 -> new DataOperation.DeleteValue();
            case 7 -> new DataOperation.Push(end(), byteString());
            case 8 -> new DataOperation.Pop(end());
            case 9 -> new DataOperation.Length();
            default -> new DataOperation.Range(number(), number());
        };
    }

    private ReplicatedSettings rules() {
        Map<Key, QueuePolicy> policies = new HashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            policies.put(key(), POLICIES.get(random.nextInt(POLICIES.size())));
        }
        var engineSettings =
                new EngineSettings(
                        random.nextInt() & Integer.MAX_VALUE,
                        number() & Long.MAX_VALUE,
                        random.nextBoolean(),
                        random.nextInt(1000),
                        random.nextBoolean(),
                        policies);
        return new ReplicatedSettings(
                engineSettings,
                new KeyCountLimits(number(), number(), number()),
                Math.max(1, duration() & Long.MAX_VALUE),
                (int) number());
    }

    private long number() {
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> random.nextInt(1000);
            case 2 -> Long.MAX_VALUE - random.nextInt(2);
            case 3 -> Long.MIN_VALUE + random.nextInt(2);
            case 4 -> -random.nextInt(1000);
            default -> random.nextLong();
        };
    }

    private long duration() {
        return switch (random.nextInt(4)) {
            case 0 -> Command.FOREVER;
            case 1 -> random.nextInt(100_000) * 1_000_000L;
            default -> number();
        };
    }

    private Key key() {
        return Key.of(
                random.nextBoolean() ? Namespace.DEFAULT : new Namespace(text()),
                byteString().bytes());
    }

    private String text() {
        var text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append((char) (random.nextInt(5) == 0 ? random.nextInt(0x10000) : 'x'));
        }
        return text.toString();
    }

    private ByteString byteString() {
        byte[] bytes = new byte[random.nextInt(8) == 0 ? 300 : random.nextInt(10)];
        random.nextBytes(bytes);
        return ByteString.of(bytes);
    }

    private UUID uuid() {
        return new UUID(number(), number());
    }

    private Token token() {
        return new Token(number(), number());
    }

    private HoldAttributes attributes() {
        return new HoldAttributes(mode(), random.nextBoolean(), random.nextBoolean());
    }

    private ResourceKind kind() {
        return KINDS.get(random.nextInt(KINDS.size()));
    }

    private ReadWriteMode mode() {
        return random.nextBoolean() ? ReadWriteMode.READ : ReadWriteMode.WRITE;
    }

    private DataOperation.End end() {
        return random.nextBoolean() ? DataOperation.End.FRONT : DataOperation.End.BACK;
    }
}
