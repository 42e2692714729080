package io.holdfast.cluster.driver;

import static io.holdfast.cluster.driver.ManualLog.MILLI;
import static io.holdfast.cluster.driver.ManualLog.REQUEST_TIMEOUT;
import static io.holdfast.cluster.driver.ManualLog.SECOND;
import static io.holdfast.cluster.driver.ManualLog.SESSION;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cluster.ClusterVersion;
import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.entry.LogEntry;
import io.holdfast.cluster.state.Replica;
import io.holdfast.cluster.state.SessionIdEncoding;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
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

    /** A client that records the effects delivered to it. */
    private class RecordingClient implements EffectMailbox {
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

    private void flushAndApply() {
        driver.flush();
        log.applyAll();
    }

    private long checksAfter(long nanos) {
        log.pass(nanos);
        driver.tick();
        log.applyAll();
        return driver.withState(Replica::checks);
    }

    @Test
    void the_leader_has_states_compared_when_it_has_created_the_cluster_and_at_intervals() {
        assertThat(checksAfter(SECOND)).isEqualTo(1);
        assertThat(checksAfter(SECOND)).isEqualTo(1);
        assertThat(checksAfter(ManualLog.CHECK_INTERVAL - 3 * SECOND)).isEqualTo(1);
        assertThat(checksAfter(3 * SECOND)).isEqualTo(2);
        assertThat(checksAfter(SECOND)).isEqualTo(2);
        log.alone = true;
        assertThat(checksAfter(2 * ManualLog.CHECK_INTERVAL)).isEqualTo(2);
    }

    @Test
    void sessions_that_an_entry_ends_are_gone_before_a_client_has_its_response() {
        RecordingClient ended = new RecordingClient();
        ended.acquire();
        flushAndApply();
        List<String> names = new ArrayList<>();
        RecordingClient other =
                new RecordingClient() {
                    @Override
                    public void wake() {
                        names.add(driver.nameOf(ended.session.id()));
                    }
                };
        ended.session.close(Long.MAX_VALUE);
        other.acquire();
        flushAndApply();
        assertThat(other.last()).isInstanceOf(Effect.Granted.class);
        assertThat(names).containsOnlyNulls();
    }

    @Test
    void a_timed_out_enqueue_leaves_no_queue_position() {
        RecordingClient holder = new RecordingClient();
        holder.acquire();
        flushAndApply();
        RecordingClient other = new RecordingClient();
        long enqueued = other.enqueue();
        driver.flush(); // in flight, with an unknown outcome
        log.pass(REQUEST_TIMEOUT);
        driver.tick();
        other.assertUnavailable(enqueued);
        log.applyAll();
        long again = other.enqueue();
        flushAndApply();
        assertThat(other.last()).isEqualTo(new Effect.Queued(other.session.id(), again));
    }

    @Test
    void a_timed_out_second_enqueue_does_not_release_the_existing_hold() {
        RecordingClient holder = new RecordingClient();
        holder.enqueue();
        flushAndApply();
        assertThat(holder.last()).isInstanceOf(Effect.Granted.class);
        long again = holder.enqueue();
        driver.flush();
        log.pass(REQUEST_TIMEOUT);
        driver.tick();
        holder.assertUnavailable(again);
        flushAndApply();
        assertThat(driver.queries().isHolding(holder.session.id(), ResourceKind.LOCK, KEY))
                .isTrue();
    }

    @Test
    void a_timed_out_wait_that_was_never_proposed_gives_up_the_queue_position() {
        RecordingClient holder = new RecordingClient();
        holder.acquire();
        flushAndApply();
        RecordingClient other = new RecordingClient();
        other.enqueue();
        flushAndApply();
        for (int i = 0; i < BatchForwarder.WINDOW; i++) {
            new RecordingClient().acquire();
            driver.flush();
        }
        long awaited = other.await(SECOND);
        log.pass(SECOND);
        driver.tick();
        other.assertUnavailable(awaited);
        log.applyAll();
        long again = other.enqueue();
        flushAndApply();
        assertThat(other.last()).isEqualTo(new Effect.Queued(other.session.id(), again));
        assertThat(other.effects).hasSize(3);
    }

    @Test
    void a_grant_after_the_timeout_is_released() {
        RecordingClient late = new RecordingClient();
        long acquired = late.acquire();
        driver.flush();
        log.pass(REQUEST_TIMEOUT);
        driver.tick();
        late.assertUnavailable(acquired);
        log.applyAll();
        assertThat(late.effects).hasSize(1);
        RecordingClient next = new RecordingClient();
        next.acquire();
        flushAndApply();
        assertThat(next.last()).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void a_request_does_not_time_out_while_its_effect_is_delivered() throws Exception {
        var ticking = new Thread(driver::tick, "ticking");
        var ticked = new CountDownLatch(1);
        RecordingClient client =
                new RecordingClient() {
                    @Override
                    public void add(Effect effect) {
                        super.add(effect);
                        log.pass(REQUEST_TIMEOUT); // the timeout passes after the delivery
                        ticking.start();
                        while (ticking.getState() != Thread.State.BLOCKED) {
                            Thread.onSpinWait();
                        }
                        ticked.countDown();
                    }
                };
        client.acquire();
        flushAndApply();
        ticked.await();
        ticking.join();
        assertThat(client.effects).hasSize(1);
        assertThat(client.last()).isInstanceOf(Effect.Granted.class);
        log.applyAll();
        RecordingClient rival = new RecordingClient();
        rival.acquire();
        flushAndApply();
        assertThat(rival.last()).isInstanceOf(Effect.TimedOut.class);
    }

    @Test
    void a_batch_without_an_outcome_is_sent_again() {
        RecordingClient client = new RecordingClient();
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
    void a_failed_batch_is_sent_again_soon() {
        RecordingClient client = new RecordingClient();
        client.acquire();
        driver.flush();
        log.loseAll(true);
        log.pass(100 * MILLI);
        driver.tick();
        log.applyAll();
        assertThat(client.last()).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void a_batch_that_arrives_twice_is_applied_once() {
        RecordingClient client = new RecordingClient();
        client.acquire();
        client.acquire();
        driver.flush();
        log.applyFirstTwice();
        assertThat(client.effects).hasSize(2);
    }

    @Test
    void the_driver_sends_heartbeats_as_long_as_it_has_sessions() {
        RecordingClient client = new RecordingClient();
        client.acquire();
        flushAndApply();
        for (int i = 0; i < 40; i++) {
            log.pass(SESSION / 20);
            driver.tick();
            log.applyAll();
        }
        assertThat(client.kicked).isFalse();
        assertThat(client.effects).hasSize(1);
        log.pass(SESSION / 20 * 13); // 0.65 of the session timeout without contact
        driver.watch();
        assertThat(client.kicked).isFalse();
    }

    @Test
    void clients_are_disconnected_before_their_sessions_can_end() {
        RecordingClient client = new RecordingClient();
        client.acquire();
        flushAndApply();
        log.pass(SESSION / 100 * 69);
        driver.watch();
        assertThat(client.kicked).isFalse();
        log.pass(SESSION / 100 * 2);
        driver.watch();
        assertThat(client.kicked).isTrue();
        assertThat(driver.isServing()).isFalse();
    }

    @Test
    void clients_of_a_cluster_of_one_stay_connected_through_a_pause_of_any_length() {
        log.alone = true;
        RecordingClient client = new RecordingClient();
        client.acquire(1000 * SECOND);
        flushAndApply();
        log.pass(20 * SESSION);
        driver.watch();
        driver.tick();
        log.applyAll();
        assertThat(client.kicked).isFalse();
        assertThat(driver.isServing()).isTrue();
        assertThat(driver.queries().isHolding(client.session.id(), ResourceKind.LOCK, KEY))
                .isTrue();
    }

    @Test
    void clients_stay_connected_when_an_entry_from_before_a_pause_is_applied_after_it() {
        log.alone = true;
        RecordingClient client = new RecordingClient();
        client.acquire();
        flushAndApply();
        RecordingClient other = new RecordingClient();
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
    void the_time_without_contact_counts_from_the_sending_of_the_last_applied_batch() {
        RecordingClient client = new RecordingClient();
        client.acquire();
        driver.flush();
        log.pass(SESSION / 100 * 60);
        log.applyAll();
        log.pass(SESSION / 100 * 11);
        driver.watch();
        assertThat(client.kicked).isTrue();
    }

    @Test
    void clients_are_disconnected_before_outdated_effects_are_delivered() {
        RecordingClient client = new RecordingClient();
        client.acquire();
        flushAndApply();
        int effectsBefore = client.effects.size();
        client.acquire();
        driver.flush();
        log.pass(SESSION / 100 * 71);
        log.applyAll();
        assertThat(client.kicked).isTrue();
        assertThat(client.effects.stream().skip(effectsBefore))
                .noneMatch(Effect.TimedOut.class::isInstance);
    }

    @Test
    void a_batch_is_sent_while_others_are_in_flight() {
        RecordingClient client = new RecordingClient();
        client.acquire();
        client.acquire();
        driver.flush();
        client.acquire();
        driver.flush();
        assertThat(log.sent())
                .extracting(entry -> ((LogEntry.Batch) entry).items().size())
                .containsExactly(3, 1); // the first has the registration of the session
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void batches_are_held_back_while_the_maximum_number_is_in_flight(boolean alone) {
        log.alone = alone;
        int window = alone ? BatchForwarder.WINDOW_ALONE : BatchForwarder.WINDOW;
        RecordingClient client = new RecordingClient();
        for (int i = 0; i < window + 2; i++) {
            client.acquire();
            driver.flush();
        }
        assertThat(log.sent()).hasSize(window);
        log.applyAll();
        assertThat(client.effects).hasSize(window + 2);
    }

    @Test
    void a_grant_that_may_be_old_is_delivered_after_its_age_is_known() {
        RecordingClient client = new RecordingClient();
        long acquired = client.acquire(2 * SECOND);
        driver.flush();
        long granted = log.nowNanos();
        log.pass(SECOND - 10 * MILLI);
        log.applyFirstLate(granted);
        assertThat(client.effects).isEmpty();
        log.applyAll(); // also the heartbeat that the driver sends now
        assertThat(client.effects)
                .singleElement()
                .isInstanceOfSatisfying(
                        Effect.Granted.class,
                        effect -> assertThat(effect.request()).isEqualTo(acquired));
    }

    @Test
    void a_grant_with_little_of_its_lease_left_is_refused_and_released() {
        RecordingClient client = new RecordingClient();
        long acquired = client.acquire(2 * SECOND);
        driver.flush();
        long granted = log.nowNanos();
        log.pass(SECOND + 10 * MILLI);
        log.applyFirstLate(granted);
        log.applyAll();
        client.assertUnavailable(acquired);
        flushAndApply();
        assertThat(client.effects).hasSize(1);
        RecordingClient next = new RecordingClient();
        next.acquire();
        flushAndApply();
        assertThat(next.last()).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void a_read_lock_with_little_of_its_lease_left_is_released_too() {
        RecordingClient client = new RecordingClient();
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
        flushAndApply();
        RecordingClient writer = new RecordingClient();
        writer.acquire();
        flushAndApply();
        assertThat(writer.last()).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void a_grant_whose_lease_is_over_is_refused() {
        RecordingClient client = new RecordingClient();
        long acquired = client.acquire(SECOND);
        driver.flush();
        long granted = log.nowNanos();
        log.pass(3 * SECOND);
        log.applyFirstLate(granted);
        log.applyAll();
        client.assertUnavailable(acquired);
        long again = client.acquire(SECOND);
        flushAndApply();
        assertThat(client.last())
                .isInstanceOfSatisfying(
                        Effect.Granted.class,
                        effect -> assertThat(effect.request()).isEqualTo(again));
    }

    @Test
    void a_grant_with_a_long_lease_is_delivered_at_once() {
        RecordingClient client = new RecordingClient();
        client.acquire();
        driver.flush();
        long granted = log.nowNanos();
        log.pass(3 * SECOND);
        log.applyFirstLate(granted);
        assertThat(client.last()).isInstanceOf(Effect.Granted.class);
    }

    @Test
    void the_driver_reconnects_to_the_leader_when_a_batch_has_no_outcome() {
        new RecordingClient().acquire();
        driver.flush();
        log.loseAll(false);
        log.pass(500 * MILLI);
        driver.tick();
        assertThat(log.reconnects).isZero();
        log.pass(1);
        driver.tick();
        assertThat(log.reconnects).isEqualTo(1);
    }

    /** Applies the entries of a session of another node that holds the key. */
    private static long holdElsewhere(ManualLog log) {
        log.apply(new LogEntry.BeginIncarnation("n2", new UUID(3, 3)));
        long incarnation = 2; // this node has the first one
        long session = SessionIdEncoding.of(incarnation, 1);
        log.apply(
                new LogEntry.Batch(
                        incarnation,
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
        ClientInfo clientInfo = Objects.requireNonNull(log.monitor.peerOf(session));
        assertThat(clientInfo.name().get()).isEqualTo("worker-7");
        assertThat(clientInfo.protocol()).isEqualTo("dflockd");
        assertThat(clientInfo.concurrent()).isTrue();
    }

    /** The state time differs from the node's clock. */
    @Test
    void events_have_the_time_of_the_clock_of_the_node() {
        log.pass(3 * SECOND);
        holdElsewhere(log);
        assertThat(log.monitor.history(ResourceKind.LOCK, KEY))
                .isNotEmpty()
                .allSatisfy(
                        event ->
                                assertThat(event.atNanos())
                                        .isBetween(log.nowNanos() - SECOND, log.nowNanos()));
    }

    @Test
    void the_client_of_a_remote_session_is_described() {
        long session = holdElsewhere(log);
        assertIsKnown(log, session);
        assertThat(driver.nameOf(session)).isEqualTo("worker-7");
        assertThat(driver.session(session))
                .isEqualTo(new SessionView(session, "dflockd", "worker-7", -1, 1, 0, "n2"));
        assertThat(driver.kick(session)).isFalse();
    }

    @Test
    void the_client_of_a_remote_session_is_described_after_its_end() {
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
    void the_client_of_a_remote_session_is_described_after_a_snapshot_was_read() throws Exception {
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
            replica.read(in, ClusterVersion.LATEST);
            return replica;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_request_that_is_checked_against_the_state_does_not_block_who_applies_the_log()
            throws InterruptedException {
        RecordingClient client = new RecordingClient();
        log.memoryLeft = false;
        Thread submitting = Thread.ofPlatform().daemon().unstarted(client::acquire);
        Thread applying =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () ->
                                        driver.withState(
                                                _ -> {
                                                    submitting.start();
                                                    awaitBlocked(submitting);
                                                    client.session.close(0); // locks the session
                                                    return true;
                                                }));
        applying.join(Duration.ofSeconds(30));
        assertThat(applying.isAlive()).as("a deadlock").isFalse();
        submitting.join();
    }

    private static void awaitBlocked(Thread thread) {
        await().until(() -> thread.getState() == Thread.State.BLOCKED);
    }
}
