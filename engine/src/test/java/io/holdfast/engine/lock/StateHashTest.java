package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.StateHashPropertyTest.recomputed;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.hash.StateHash;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;

@DisplayName("The hash of the state of an engine changes")
class StateHashTest {
    private static final EngineSettings SETTINGS = new EngineSettings(0, 1_000_000, false);
    private static final long LEASE = 5_000_000_000L;
    private static final Key DOOR = Key.of("door");
    private static final Key BOOK = Key.of("book");
    private static final Key ITEMS = Key.of("items");

    private final LockEngine engine = new LockEngine(SETTINGS, new StateHash(true));
    private final TestQuotas quotas = new TestQuotas();
    private long now = 1_000;
    private long request;

    private List<Effect> apply(Command command) {
        List<Effect> effects = new ArrayList<>();
        engine.apply(command, now++, quotas, effects);
        return effects;
    }

    private void acquire(long session, ResourceKind kind, Key key, HoldAttributes attributes) {
        apply(
                new Command.Acquire(
                        session,
                        ++request,
                        kind,
                        key,
                        kind == ResourceKind.SEMAPHORE ? 2 : 1,
                        LEASE,
                        LEASE,
                        1000 + request,
                        attributes));
    }

    private void data(Key key, DataOperation operation) {
        apply(new Command.Data(1, ++request, key, operation));
    }

    @BeforeEach
    void a_state_with_everything() {
        Key pool = Key.of("pool");
        for (long session = 1; session <= 4; session++) {
            acquire(session, ResourceKind.LOCK, DOOR, HoldAttributes.PLAIN);
            acquire(session, ResourceKind.SEMAPHORE, pool, HoldAttributes.PLAIN);
            acquire(session, ResourceKind.LOCK, BOOK, HoldAttributes.of(ReadWriteMode.READ));
        }
        acquire(5, ResourceKind.LOCK, BOOK, HoldAttributes.PLAIN);
        acquire(6, ResourceKind.LOCK, BOOK, HoldAttributes.of(ReadWriteMode.READ));
        acquire(
                6,
                ResourceKind.LOCK,
                Key.of("tracked"),
                new HoldAttributes(ReadWriteMode.WRITE, false, true));
        apply(new Command.TryAcquire(7, ++request, ResourceKind.SHARED, Key.of("hall"), 77));
        apply(new Command.Enqueue(7, ++request, ResourceKind.LOCK, DOOR, 1, LEASE, 78));
        apply(new Command.Enqueue(7, ++request, ResourceKind.LOCK, Key.of("gate"), 1, LEASE, 79));
        apply(offer(8));
        apply(offer(9));
        Hold hold = Objects.requireNonNull(engine.state().locks.get(DOOR).firstHold());
        apply(new Command.Renew(2, ++request, ResourceKind.LOCK, DOOR, hold.token(), LEASE));
        acquire(10, ResourceKind.LOCK, Key.of("orphan"), HoldAttributes.PLAIN);
        apply(new Command.CloseSession(10, request));
        apply(new Command.Suspend(8, ++request, Key.of("suspended")));
        acquire(11, ResourceKind.LOCK, Key.of("idle"), HoldAttributes.PLAIN);
        apply(new Command.CloseSession(11, 0));
        data(Key.of("count"), new DataOperation.Increment(300));
        data(Key.of("zero"), new DataOperation.SetCounter(0));
        data(
                Key.of("value"),
                new DataOperation.SetValue(ByteString.of("some content"), Command.FOREVER));
        data(Key.of("short"), new DataOperation.SetValue(ByteString.of("expires"), LEASE));
        for (String item : List.of("one", "two", "three")) {
            data(ITEMS, new DataOperation.Push(DataOperation.End.BACK, ByteString.of(item)));
        }
        assertThat(engine.hash()).isEqualTo(recomputed(engine));
    }

    private Command offer(long session) {
        return new Command.RequestOffer(
                session,
                ++request,
                Key.of("offered"),
                ReadWriteMode.WRITE,
                LEASE,
                LEASE,
                LEASE,
                request);
    }

    private static byte[] written(LockEngine engine) throws IOException {
        var bytes = new ByteArrayOutputStream();
        engine.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private static LockEngine read(byte[] bytes) throws IOException {
        var in = new DataInputStream(new ByteArrayInputStream(bytes));
        return LockEngine.read(in, SETTINGS, new StateHash(true));
    }

    @Test
    void with_each_bit_of_a_snapshot() throws IOException {
        byte[] bytes = written(engine);
        assertThat(read(bytes).hash()).isEqualTo(engine.hash());
        var same = new TreeSet<Integer>();
        int read = 0;
        for (int bit = 0; bit < bytes.length * Byte.SIZE; bit++) {
            byte[] wrong = bytes.clone();
            wrong[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
            try {
                LockEngine other = read(wrong);
                if (other.hash() == engine.hash() && !Arrays.equals(written(other), bytes)) {
                    same.add(bit / Byte.SIZE);
                }
                read++;
            } catch (IOException e) {
                assertThat(e).isNotNull(); // what is not a snapshot has no hash
            }
        }
        assertThat(read).isGreaterThan(bytes.length);
        // how far the four lists of deadlines have been sorted, which affects no result
        assertThat(same).isSubsetOf(reachedTimes(bytes));
    }

    /** The indexes of the bytes of the times that lists of deadlines have reached. */
    private List<Integer> reachedTimes(byte[] bytes) {
        List<Integer> found = new ArrayList<>();
        byte[] reached = new byte[Long.BYTES];
        for (int i = 0; i + Long.BYTES <= bytes.length; i++) {
            System.arraycopy(bytes, i, reached, 0, Long.BYTES);
            long value = new BigInteger(reached).longValue();
            if (value == engine.state().deadlines.reachedNanos()
                    || value == engine.state().idleEnds.reachedNanos()) {
                for (int j = i; j < i + Long.BYTES; j++) {
                    found.add(j);
                }
            }
        }
        return found;
    }

    @Test
    void with_the_order_of_the_items_of_a_list() throws IOException {
        byte[] bytes = written(engine);
        byte[] one = "\003one\003two".getBytes(StandardCharsets.US_ASCII);
        byte[] two = "\003two\003one".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i + one.length <= bytes.length; i++) {
            if (Arrays.equals(bytes, i, i + one.length, one, 0, one.length)) {
                System.arraycopy(two, 0, bytes, i, two.length);
                assertThat(read(bytes).hash()).isNotEqualTo(engine.hash());
                return;
            }
        }
        throw new AssertionError("the list is not in the snapshot");
    }

    @Test
    void with_the_order_of_a_queue() {
        Resource door = engine.state().locks.get(DOOR);
        Waiter first = Objects.requireNonNull(door.firstWaiter());
        door.remove(first);
        door.append(first);
        assertThat(recomputed(engine)).isNotEqualTo(engine.hash());
    }

    @Test
    void with_the_order_of_what_belongs_to_a_session() {
        SessionState session = engine.state().sessions.get(1L);
        Hold first = Objects.requireNonNull(session.firstHold);
        session.remove(first);
        session.add(first);
        assertThat(recomputed(engine)).isNotEqualTo(engine.hash());
    }

    @Test
    void with_the_order_of_waiters_of_a_session() {
        SessionState session = engine.state().sessions.get(3L);
        Waiter first = Objects.requireNonNull(session.firstWait);
        assertThat(session.waits).isGreaterThan(1);
        session.remove(first);
        session.add(first);
        assertThat(recomputed(engine)).isNotEqualTo(engine.hash());
    }

    @Test
    void as_it_should_with_more_changes_than_wait_for_their_hash() {
        for (long session = 100; session < 1600; session++) {
            acquire(session, ResourceKind.LOCK, DOOR, HoldAttributes.PLAIN);
        }
        assertThat(engine.hash()).isEqualTo(recomputed(engine));
        now += 2 * LEASE;
        apply(new Command.Tick());
        assertThat(engine.hash()).isEqualTo(recomputed(engine));
        assertThat(engine.state().locks.get(DOOR).waiters).isZero();
    }
}
