package io.holdfast.engine.lock;

import static io.holdfast.engine.lock.LockScenario.USUAL;

import static org.assertj.core.api.Assertions.assertThat;

import static java.time.Duration.ofSeconds;

import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.data.DataScenario;
import io.holdfast.engine.lock.LockScenario.Target;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

@DisplayName("A snapshot")
class SnapshotTest {
    private static final Target PRINTER = Target.lock("printer");
    private static final Target SCANNER = Target.lock("scanner");
    private static final Target POOL = Target.semaphore("pool", 2);

    @Test
    void snapshots_of_the_same_commands_are_equal() {
        assertThat(after(SnapshotTest::busyDay)).isEqualTo(after(SnapshotTest::busyDay));
    }

    @Test
    void a_snapshot_does_not_depend_on_the_order_in_which_unrelated_keys_became_idle() {
        // Keys are sorted, independent of the hash table and of the order of creation.
        assertThat(
                        after(
                                locks -> {
                                    for (int i = 0; i < 50; i++) {
                                        touch(locks, i);
                                    }
                                }))
                .isEqualTo(
                        after(
                                locks -> {
                                    for (int i = 49; i >= 0; i--) {
                                        touch(locks, i);
                                    }
                                }));
    }

    @Test
    void snapshots_of_relevantly_different_states_differ() {
        byte[] day = after(SnapshotTest::busyDay);
        assertThat(after(SnapshotTest::busyDay, locks -> locks.advance(ofSeconds(1))))
                .as("time")
                .isNotEqualTo(day);
        assertThat(after(SnapshotTest::busyDay, locks -> locks.acquire("zoe", POOL)))
                .as("a waiter")
                .isNotEqualTo(day);
        assertThat(after(SnapshotTest::busyDay, locks -> locks.await("dave", PRINTER)))
                .as("a blocked request")
                .isNotEqualTo(day);
        assertThat(after(SnapshotTest::busyDay, locks -> locks.close("alice")))
                .as("a session")
                .isNotEqualTo(day);
        assertThat(after(SnapshotTest::busyDay, locks -> locks.acquireWithoutWait("zoe", idle())))
                .as("an idle key in use")
                .isNotEqualTo(day);
    }

    @Test
    void snapshots_of_relevantly_different_try_acquired_holds_differ() {
        List<Consumer<LockScenario>> differences =
                List.of(
                        locks -> {},
                        locks -> locks.tryAcquire("alice", SCANNER),
                        locks -> locks.tryAcquire("bob", SCANNER),
                        locks -> locks.tryAcquire("alice", Target.shared("scanner")),
                        locks -> locks.tryAcquire("alice", idle()),
                        locks -> { // the key is retained
                            locks.tryAcquire("alice", SCANNER);
                            locks.acquireWithoutWait("bob", SCANNER);
                        },
                        locks -> { // held since another time
                            locks.tryAcquire("alice", SCANNER);
                            locks.releaseBySession("alice", SCANNER);
                            locks.tryAcquire("alice", SCANNER);
                        },
                        locks -> {
                            locks.tryAcquire("alice", Target.shared("scanner"));
                            locks.tryAcquire("bob", Target.shared("scanner"));
                        },
                        locks -> { // in another order
                            locks.tryAcquire("bob", Target.shared("scanner"));
                            locks.tryAcquire("alice", Target.shared("scanner"));
                        });
        List<byte[]> snapshots = new ArrayList<>();
        for (Consumer<LockScenario> difference : differences) {
            byte[] snapshot = after(SnapshotTest::busyDay, difference);
            assertThat(snapshot).isEqualTo(after(SnapshotTest::busyDay, difference));
            assertThat(snapshots).doesNotContain(snapshot);
            snapshots.add(snapshot);
        }
    }

    @Test
    void snapshots_of_relevantly_different_offer_requests_differ() {
        Duration later = ofSeconds(2);
        List<Consumer<LockScenario>> differences =
                List.of(
                        locks -> {},
                        locks -> locks.suspend(SCANNER),
                        locks -> locks.read("alice", SCANNER),
                        locks -> locks.write("alice", SCANNER),
                        locks -> locks.confirm(locks.read("alice", SCANNER)),
                        locks -> locks.confirm(locks.write("alice", SCANNER)),
                        locks -> locks.read("alice", PRINTER),
                        locks -> locks.write("alice", PRINTER),
                        locks -> // another time to confirm, which has not begun
                        locks.requestOffer(
                                        "alice", PRINTER, ReadWriteMode.READ, USUAL, later, USUAL),
                        locks ->
                                locks.requestOffer(
                                        "alice", PRINTER, ReadWriteMode.READ, USUAL, USUAL, later),
                        locks -> {
                            locks.read("alice", PRINTER);
                            locks.write("bob", PRINTER);
                        },
                        locks -> { // in another order
                            locks.write("bob", PRINTER);
                            locks.read("alice", PRINTER);
                        });
        List<byte[]> snapshots = new ArrayList<>();
        for (Consumer<LockScenario> difference : differences) {
            byte[] snapshot = after(SnapshotTest::busyDay, difference);
            assertThat(snapshot).isEqualTo(after(SnapshotTest::busyDay, difference));
            assertThat(snapshots).doesNotContain(snapshot);
            snapshots.add(snapshot);
        }
    }

    @Test
    void a_snapshot_does_not_contain_dropped_transient_keys() {
        assertThat(
                        after(
                                SnapshotTest::busyDay,
                                locks -> {
                                    locks.tryAcquire("zoe", SCANNER);
                                    locks.tryAcquire("zoe", Target.shared("scanner"));
                                    locks.tryAcquire("yves", Target.shared("scanner"));
                                    locks.releaseBySession("zoe", SCANNER);
                                    locks.close("zoe");
                                    locks.close("yves");
                                }))
                .isEqualTo(after(SnapshotTest::busyDay));
    }

    @Test
    void a_snapshot_of_an_emptied_engine_equals_that_of_a_new_one() {
        byte[] emptied =
                after(
                        SnapshotTest::busyDay,
                        locks -> {
                            for (String who : new String[] {"alice", "bob", "carol", "dave"}) {
                                locks.close(who);
                            }
                            locks.advance(ofSeconds(100));
                            locks.collect();
                        });
        assertThat(emptied).isEqualTo(after(locks -> locks.advance(ofSeconds(100))));
    }

    @Test
    void snapshots_of_relevantly_different_data_differ() {
        List<Consumer<DataScenario>> differences =
                List.of(
                        data -> {},
                        data -> data.incr("x", 1),
                        data -> data.cset("new", 0),
                        data -> data.cset("new", 1),
                        data -> data.incr("y", 0),
                        data -> data.kset("x", "other", ofSeconds(10)),
                        data -> data.kset("x", "text", ofSeconds(11)),
                        data -> data.kset("x", "text", Command.FOREVER - 1),
                        data -> data.kset("x", "text"),
                        data -> data.kdel("x"),
                        data -> data.kset("z", "text"),
                        data -> data.rpush("x", "c"),
                        data -> data.lpush("x", "c"),
                        data -> data.lpop("x"),
                        data -> data.rpop("x"),
                        data -> data.rpush("new", "a"),
                        data -> data.advance(ofSeconds(1)),
                        data -> {
                            data.advance(ofSeconds(1));
                            data.get("x");
                        },
                        data -> {
                            data.advance(ofSeconds(1));
                            data.kget("x");
                        },
                        data -> {
                            data.advance(ofSeconds(1));
                            data.llen("x");
                        });
        List<byte[]> snapshots = new ArrayList<>();
        for (Consumer<DataScenario> difference : differences) {
            byte[] snapshot = afterData(SnapshotTest::someData, difference);
            assertThat(snapshot).isEqualTo(afterData(SnapshotTest::someData, difference));
            assertThat(snapshots).doesNotContain(snapshot);
            snapshots.add(snapshot);
        }
    }

    @Test
    void a_snapshot_does_not_depend_on_the_order_in_which_unrelated_data_was_created() {
        assertThat(
                        afterData(
                                data -> {
                                    for (int i = 0; i < 50; i++) {
                                        makeData(data, i);
                                    }
                                }))
                .isEqualTo(
                        afterData(
                                data -> {
                                    for (int i = 49; i >= 0; i--) {
                                        makeData(data, i);
                                    }
                                }));
    }

    @Test
    void snapshots_of_data_in_different_namespaces_differ() {
        Key other = Key.of(new Namespace("tenant"), Key.of("x").bytes());
        var increment = new DataOperation.Increment(1);
        assertThat(afterData(data -> data.submit(1, other, increment)))
                .isNotEqualTo(afterData(data -> data.incr("x", 1)));
    }

    @Test
    void snapshots_distinguish_an_unlimited_value_from_one_with_the_earliest_expiry() {
        Consumer<DataScenario> early = data -> data.setClock(-ofSeconds(5).toNanos());
        assertThat(afterData(early, data -> data.kset("x", "text", ofSeconds(5))))
                .isNotEqualTo(afterData(early, data -> data.kset("x", "text")));
    }

    private static void someData(DataScenario data) {
        data.incr("x", 5);
        data.cset("y", 0);
        data.kset("x", "text", ofSeconds(10));
        data.kset("y", "");
        data.list("x", "a", "b");
        data.advance(ofSeconds(1));
    }

    private static void makeData(DataScenario data, int i) {
        data.cset("data-" + i, i % 5);
        data.kset("data-" + i, "text-" + i, i % 2 == 0 ? Command.FOREVER : i);
        data.list("data-" + i, "a", "b");
    }

    private static Target idle() {
        return Target.lock("idle");
    }

    private static void busyDay(LockScenario locks) {
        locks.release(locks.acquire("alice", idle()));
        locks.acquire("alice", PRINTER, ofSeconds(50));
        locks.acquire("bob", PRINTER);
        locks.enqueue("dave", PRINTER);
        locks.acquire("bob", POOL, ofSeconds(10));
        locks.enqueue("carol", POOL);
        locks.acquire("alice", POOL);
    }

    private static void touch(LockScenario locks, int i) {
        locks.acquire("alice", Target.semaphore("key-" + i, 1 + i % 3), 0, 1);
        locks.close("alice");
    }

    @SafeVarargs
    private static byte[] afterData(Consumer<DataScenario>... steps) {
        DataScenario data = new DataScenario();
        for (Consumer<DataScenario> step : steps) {
            step.accept(data);
        }
        return EngineSnapshot.of(data.engine);
    }

    @SafeVarargs
    private static byte[] after(Consumer<LockScenario>... steps) {
        LockScenario locks = new LockScenario();
        for (Consumer<LockScenario> step : steps) {
            step.accept(locks);
        }
        return EngineSnapshot.of(locks.engine);
    }
}
