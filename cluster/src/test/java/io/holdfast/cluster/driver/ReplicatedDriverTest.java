package io.holdfast.cluster.driver;

import static io.holdfast.cluster.driver.ManualLog.MILLI;
import static io.holdfast.cluster.driver.ManualLog.PATIENCE;
import static io.holdfast.cluster.driver.ManualLog.SECOND;
import static io.holdfast.cluster.driver.ManualLog.SESSION;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.state.Replica;
import io.holdfast.cluster.state.SessionIdEncoding;
import io.holdfast.cluster.state.SnapshotFile;
import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Session;
import io.holdfast.driver.SessionView;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

@DisplayName("A node's driver")
@Timeout(120)
class ReplicatedDriverTest {
    private static final Key KEY = Key.of("key");

    private final ManualLog log = new ManualLog();
    private final ReplicatedDriver driver = log.driver();

    /** A client that writes down what it is told. */
    private class Told implements EffectMailbox {
        final List<Effect> effects = new ArrayList<>();
        final Session session = driver.open(this, new ClientInfo("test", () -> "test"));
        boolean kicked;
        private long lastRequest;

        @Override
        public void add(Effect effect) {
            effects.add(effect);
        }

        @Override
        public void wake() {}

        @Override
        public boolean kick() {
            kicked = true;
            return true;
        }

        long acquire() {
            return acquire(60 * SECOND);
        }

        long acquire(long leaseNanos) {
            long request = ++lastRequest;
            session.submit(
                    new Command.Acquire(
                            session.id(), request, ResourceKind.LOCK, KEY, 1, 0, leaseNanos, 5));
            return request;
        }

        long enqueue() {
            long request = ++lastRequest;
            session.submit(
                    new Command.Enqueue(
                            session.id(), request, ResourceKind.LOCK, KEY, 1, 60 * SECOND, 5));
            return request;
        }

        long await(long waitNanos) {
            long request = ++lastRequest;
            session.submit(
                    new Command.Await(session.id(), request, ResourceKind.LOCK, KEY, waitNanos));
            return request;
        }

        Effect last() {
            return effects.getLast();
        }

        void assertUnavailable(long request) {
            assertThat(last())
                    .isEqualTo(new Effect.Refused(session.id(), request, Refusal.UNAVAILABLE));
        }
    }

    private static boolean isBatch(LogEntry logEntry) {
        return logEntry instanceof LogEntry.Batch;
    }

    private void pumpAndApply() {
        log.pass(10 * MILLI); // nobody else is waited for any more
        driver.flush();
        log.applyAll();
    }

    @Test
    void leaves_the_line_when_to_get_in_took_too_long() {
        Told holder = new Told();
        holder.acquire();
        pumpAndApply();
        Told other = new Told();
        long enqueued = other.enqueue();
        driver.flush(); // on its way, and nobody knows how far
        log.pass(PATIENCE);
        driver.tick();
        other.assertUnavailable(enqueued);
        log.applyAll();
        long again = other.enqueue();
        pumpAndApply();
        assertThat(other.last()).isEqualTo(new Effect.Queued(other.session.id(), again));
    }

    @Test
    void does_not_give_back_what_is_held_when_to_get_in_line_again_took_too_long() {
        Told holder = new Told();
        holder.enqueue();
        pumpAndApply();
        assertThat(holder.last()).isInstanceOf(Effect.Granted.class);
        long again = holder.enqueue();
        driver.flush();
        log.pass(PATIENCE);
        driver.tick();
        holder.assertUnavailable(again);
        pumpAndApply();
        assertThat(driver.isHolding(holder.session.id(), ResourceKind.LOCK, KEY)).isTrue();
    }

    @Test
    void leaves_the_line_when_to_wait_was_never_sent() {
        Told holder = new Told();
        holder.acquire();
        pumpAndApply();
        Told other = new Told();
        other.enqueue();
        pumpAndApply();
        for (int i = 0; i < 2; i++) { // as many batches as may be on their way
            new Told().acquire();
            driver.flush();
        }
        long awaited = other.await(SECOND);
        log.pass(SECOND);
        driver.tick();
        other.assertUnavailable(awaited);
        log.applyAll();
        long again = other.enqueue();
        pumpAndApply();
        assertThat(other.last()).isEqualTo(new Effect.Queued(other.session.id(), again));
        assertThat(other.effects).hasSize(3);
    }

    @Test
    void gives_back_what_was_granted_too_late() {
        Told late = new Told();
        long acquired = late.acquire();
        driver.flush();
        log.pass(PATIENCE);
        driver.tick();
        late.assertUnavailable(acquired);
        log.applyAll();
        assertThat(late.effects).hasSize(1);
        Told next = new Told();
        next.acquire();
        pumpAndApply();
        assertThat(next.last()).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void does_not_give_up_what_is_being_answered() throws Exception {
        var ticking = new Thread(driver::tick, "ticking");
        var asked = new CountDownLatch(1);
        Told client =
                new Told() {
                    @Override
                    public void add(Effect effect) {
                        super.add(effect);
                        log.pass(PATIENCE); // now it is late, but it has been answered
                        ticking.start();
                        while (ticking.getState() != Thread.State.BLOCKED) {
                            Thread.onSpinWait();
                        }
                        asked.countDown();
                    }
                };
        client.acquire();
        pumpAndApply();
        asked.await();
        ticking.join();
        assertThat(client.effects).hasSize(1);
        assertThat(client.last()).isInstanceOf(Effect.Granted.class);
        log.applyAll();
        Told rival = new Told();
        rival.acquire();
        pumpAndApply();
        assertThat(rival.last()).isInstanceOf(Effect.TimedOut.class);
    }

    @Test
    void sends_again_what_nobody_answers_for() {
        Told client = new Told();
        client.acquire();
        driver.flush();
        log.loseAll(false);
        log.pass(400 * MILLI);
        driver.tick();
        driver.flush();
        assertThat(log.sent()).noneMatch(ReplicatedDriverTest::isBatch);
        log.pass(200 * MILLI);
        driver.tick();
        log.applyAll();
        assertThat(client.last()).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void sends_again_soon_what_is_said_to_have_failed() {
        Told client = new Told();
        client.acquire();
        driver.flush();
        log.loseAll(true);
        log.pass(100 * MILLI);
        driver.tick();
        log.applyAll();
        assertThat(client.last()).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void does_once_what_arrives_twice() {
        Told client = new Told();
        client.acquire();
        client.acquire();
        driver.flush();
        log.applyFirstTwice();
        assertThat(client.effects).hasSize(2);
    }

    @Test
    void says_that_it_lives_as_long_as_it_has_sessions() {
        Told client = new Told();
        client.acquire();
        pumpAndApply();
        for (int i = 0; i < 40; i++) {
            log.pass(SESSION / 20);
            driver.tick();
            log.applyAll();
        }
        assertThat(client.kicked).isFalse();
        assertThat(client.effects).hasSize(1);
        log.pass(SESSION / 20 * 13); // 0.65 of it in silence
        driver.watch();
        assertThat(client.kicked).isFalse();
    }

    @Test
    void sends_its_clients_away_before_their_sessions_can_end() {
        Told client = new Told();
        client.acquire();
        pumpAndApply();
        log.pass(SESSION / 100 * 69);
        driver.watch();
        assertThat(client.kicked).isFalse();
        log.pass(SESSION / 100 * 2);
        driver.watch();
        assertThat(client.kicked).isTrue();
        assertThat(driver.isServing()).isFalse();
    }

    @Test
    void keeps_its_clients_through_a_pause_of_any_length_when_there_is_no_other_node() {
        log.alone = true;
        Told client = new Told();
        client.acquire(1000 * SECOND);
        pumpAndApply();
        log.pass(20 * SESSION);
        driver.watch();
        driver.tick();
        log.applyAll();
        assertThat(client.kicked).isFalse();
        assertThat(driver.isServing()).isTrue();
        assertThat(driver.isHolding(client.session.id(), ResourceKind.LOCK, KEY)).isTrue();
    }

    @Test
    void keeps_its_clients_when_the_entry_before_the_pause_is_applied_after_it() {
        log.alone = true;
        Told client = new Told();
        client.acquire();
        pumpAndApply();
        Told other = new Told();
        other.acquire();
        driver.flush();
        log.pass(SESSION * 2);
        log.applyAll();
        driver.tick();
        log.applyAll();
        assertThat(client.kicked).isFalse();
        assertThat(other.last()).isInstanceOf(Effect.TimedOut.class);
    }

    @Test
    void counts_its_silence_from_when_it_last_sent_what_was_heard() {
        Told client = new Told();
        client.acquire();
        driver.flush();
        log.pass(SESSION / 100 * 60);
        log.applyAll();
        log.pass(SESSION / 100 * 11);
        driver.watch();
        assertThat(client.kicked).isTrue();
    }

    @Test
    void sends_clients_away_before_it_tells_them_what_comes_too_late() {
        Told client = new Told();
        client.acquire();
        pumpAndApply();
        int told = client.effects.size();
        client.acquire();
        driver.flush();
        log.pass(SESSION / 100 * 71);
        log.applyAll();
        assertThat(client.kicked).isTrue();
        assertThat(client.effects.stream().skip(told)).noneMatch(Effect.TimedOut.class::isInstance);
    }

    @Test
    void waits_a_little_for_those_who_were_answered() {
        Told first = new Told();
        Told second = new Told();
        first.acquire();
        second.acquire();
        driver.flush();
        log.pass(MILLI);
        log.applyAll();
        long next = first.acquire();
        driver.flush();
        assertThat(log.sent()).noneMatch(ReplicatedDriverTest::isBatch);
        second.acquire();
        first.acquire();
        second.acquire();
        driver.flush();
        assertThat(log.sent()).hasSize(1).allMatch(ReplicatedDriverTest::isBatch);
        log.applyAll();
        assertThat(first.effects).anyMatch(effect -> effect.request() == next);
    }

    @Test
    void does_not_wait_long_for_those_who_do_not_come() {
        Told first = new Told();
        first.acquire();
        new Told().acquire();
        driver.flush();
        log.pass(MILLI);
        log.applyAll();
        first.acquire();
        long wait = driver.flush();
        assertThat(log.sent()).noneMatch(ReplicatedDriverTest::isBatch);
        assertThat(wait).isEqualTo(MILLI);
        log.pass(wait);
        driver.flush();
        assertThat(log.sent()).hasSize(1);
    }

    @Test
    void asks_before_it_tells_of_a_lease_that_may_be_old() {
        Told client = new Told();
        long acquired = client.acquire(2 * SECOND);
        driver.flush();
        long granted = log.nowNanos();
        log.pass(SECOND - 10 * MILLI);
        log.applyFirstLate(granted);
        assertThat(client.effects).isEmpty();
        log.applyAll(); // what the node says now gets into the log
        assertThat(client.effects)
                .singleElement()
                .isInstanceOfSatisfying(
                        Effect.Granted.class,
                        effect -> assertThat(effect.request()).isEqualTo(acquired));
    }

    @Test
    void does_not_tell_of_a_lease_of_which_little_is_left_and_gives_it_back() {
        Told client = new Told();
        long acquired = client.acquire(2 * SECOND);
        driver.flush();
        long granted = log.nowNanos();
        log.pass(SECOND + 10 * MILLI);
        log.applyFirstLate(granted);
        log.applyAll();
        client.assertUnavailable(acquired);
        pumpAndApply();
        assertThat(client.effects).hasSize(1);
        Told next = new Told();
        next.acquire();
        pumpAndApply();
        assertThat(next.last()).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void gives_back_a_read_lock_of_which_little_is_left_too() {
        Told client = new Told();
        HoldAttributes reading = new HoldAttributes(ReadWriteMode.READ, true, false);
        client.session.submit(
                new Command.Acquire(
                        client.session.id(),
                        1,
                        ResourceKind.LOCK,
                        KEY,
                        1,
                        0,
                        2 * SECOND,
                        5,
                        reading));
        driver.flush();
        long granted = log.nowNanos();
        log.pass(SECOND + 10 * MILLI);
        log.applyFirstLate(granted);
        log.applyAll();
        client.assertUnavailable(1);
        pumpAndApply();
        Told writer = new Told();
        writer.acquire();
        pumpAndApply();
        assertThat(writer.last()).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void does_not_tell_of_a_lease_that_is_over() {
        Told client = new Told();
        long acquired = client.acquire(SECOND);
        driver.flush();
        long granted = log.nowNanos();
        log.pass(3 * SECOND);
        log.applyFirstLate(granted);
        log.applyAll();
        client.assertUnavailable(acquired);
        long again = client.acquire(SECOND);
        pumpAndApply();
        assertThat(client.last())
                .isInstanceOfSatisfying(
                        Effect.Granted.class,
                        effect -> assertThat(effect.request()).isEqualTo(again));
    }

    @Test
    void tells_of_a_long_lease_at_once() {
        Told client = new Told();
        client.acquire();
        driver.flush();
        long granted = log.nowNanos();
        log.pass(3 * SECOND);
        log.applyFirstLate(granted);
        assertThat(client.last()).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void takes_another_connection_when_nobody_answers() {
        new Told().acquire();
        driver.flush();
        log.loseAll(false);
        log.pass(500 * MILLI);
        driver.tick();
        assertThat(log.otherWays).isZero();
        log.pass(1);
        driver.tick();
        assertThat(log.otherWays).isEqualTo(1);
    }

    /** A session of another node, that has the key to itself. */
    private static long holdElsewhere(ManualLog log) {
        log.apply(new LogEntry.BeginIncarnation("n2", new UUID(2, 2), new UUID(3, 3)));
        long stint = 2; // the node itself has the first
        long session = SessionIdEncoding.of(stint, 1);
        log.apply(
                new LogEntry.Batch(
                        stint,
                        1,
                        List.of(
                                new BatchItem.RegisterSession(session, "dflockd", "worker-7", true),
                                new BatchItem.Submit(
                                        new Command.Acquire(
                                                session,
                                                1,
                                                ResourceKind.LOCK,
                                                KEY,
                                                1,
                                                0,
                                                60 * SECOND,
                                                5)))));
        return session;
    }

    private static void assertIsKnown(ManualLog log, long session) {
        ClientInfo clientInfo = Objects.requireNonNull(log.observatory.peerOf(session));
        assertThat(clientInfo.name().get()).isEqualTo("worker-7");
        assertThat(clientInfo.protocol()).isEqualTo("dflockd");
        assertThat(clientInfo.concurrent()).isTrue();
    }

    /** The time of the state is another one. */
    @Test
    void dates_what_happened_by_the_clock_of_the_node() {
        log.pass(3 * SECOND);
        holdElsewhere(log);
        assertThat(log.observatory.history(ResourceKind.LOCK, KEY))
                .isNotEmpty()
                .allSatisfy(
                        event ->
                                assertThat(event.atNanos())
                                        .isBetween(log.nowNanos() - SECOND, log.nowNanos()));
    }

    @Test
    void knows_who_holds_a_key_over_another_node() {
        long session = holdElsewhere(log);
        assertIsKnown(log, session);
        assertThat(driver.nameOf(session)).isEqualTo("worker-7");
        assertThat(driver.session(session))
                .isEqualTo(new SessionView(session, "dflockd", "worker-7", -1, 1, 0, "n2"));
        assertThat(driver.kick(session)).isFalse();
    }

    @Test
    void knows_who_it_was_when_a_session_of_another_node_has_ended() {
        long session = holdElsewhere(log);
        log.apply(
                new LogEntry.Batch(
                        SessionIdEncoding.incarnation(session),
                        2,
                        List.of(new BatchItem.EndSession(session, 1))));
        assertThat(driver.session(session)).isNull();
        assertIsKnown(log, session);
    }

    @Test
    void knows_who_holds_a_key_over_another_node_from_a_copy_of_the_state() throws Exception {
        long session = holdElsewhere(log);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            driver.withState(replica -> write(replica, out));
        }
        ManualLog restarted = new ManualLog();
        restarted
                .driver()
                .withState(
                        replica ->
                                read(
                                        replica,
                                        new DataInputStream(
                                                new ByteArrayInputStream(bytes.toByteArray()))));
        assertIsKnown(restarted, session);
    }

    private static Replica write(Replica replica, DataOutputStream out) {
        try {
            replica.write(out);
            return replica;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Replica read(Replica replica, DataInputStream in) {
        try {
            replica.read(in, SnapshotFile.VERSION);
            return replica;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
