package io.holdfast.socketlock;

import static io.holdfast.socketlock.Eventually.await;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.socketlock.ScriptedPrimary.Peer;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

@DisplayName("A client of a scripted primary")
@Execution(ExecutionMode.CONCURRENT)
class ScriptedPrimaryIT {
    private static final LockConfig USUAL = LockConfig.defaults();

    /** A client sends SETTLED only while no other client of its process has its id. */
    private static final String OWN_ID = "the client id 'me'";

    @TempDir private Path folder;
    private Path path = Path.of("");
    private @Nullable ScriptedPrimary started;
    private @Nullable SocketLockClient connected;

    @BeforeEach
    void listen() throws IOException {
        path = folder.resolve("s");
        started = ScriptedPrimary.at(path);
    }

    @AfterEach
    void end() throws IOException {
        if (started != null) {
            started.close(); // first, so that no client waits for the response to EOL
        }
        if (connected != null) {
            connected.closeNow();
        }
    }

    private ScriptedPrimary primary() {
        return Objects.requireNonNull(started);
    }

    private SocketLockClient client() {
        return Objects.requireNonNull(connected);
    }

    private Call<SocketLockClient> connecting(LockConfig config) {
        return Call.of(() -> SocketLockClient.connect(path, config));
    }

    /** Connects to a primary that behaves as Holdfast's. */
    private Peer connect(LockConfig config) throws Exception {
        Call<SocketLockClient> connecting = connecting(config);
        Peer peer = primary().caller().welcome();
        connected = connecting.result();
        return peer;
    }

    private Call<SocketLock> acquiring(LockMode mode, AcquireOptions options) {
        SocketLockClient client = client();
        return Call.of(
                () ->
                        mode == LockMode.READ
                                ? client.acquireRead(options)
                                : client.acquireWrite(options));
    }

    private Call<SocketLock> acquiring(LockMode mode) {
        return acquiring(mode, AcquireOptions.NONE);
    }

    private SocketLock acquire(Peer peer, LockMode mode) throws Exception {
        Call<SocketLock> acquiring = acquiring(mode);
        peer.grants(mode, 100);
        return acquiring.result();
    }

    // ---- the greeting

    @Test
    void the_id_assigned_by_an_original_primary_is_used() throws Exception {
        Call<SocketLockClient> connecting = connecting(USUAL);
        Peer peer = primary().caller().welcomeLikeAnOriginal();
        connected = connecting.result();
        peer.expects("SETTLED");

        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);

        assertThat(peer.line()).matches("c1-1 REQWRITE l[0-9a-f]{12}");
        client().closeNow();
        assertThat(acquiring.failure()).isInstanceOf(SocketLockClosedException.class);
    }

    @Test
    void the_clients_own_id_is_used_with_an_early_server() throws Exception {
        Call<SocketLockClient> connecting =
                connecting(LockConfig.builder().clientId("me-1").build());
        Peer peer = primary().caller();
        assertThat(peer.line()).isEqualTo("me-1 HELLO");
        assertThat(peer.line()).isEqualTo("HELLO");
        peer.send("me-1 CONNECTED\n");
        connected = connecting.result();

        assertThat(peer.line()).startsWith("me-1 PROCESS ");
        assertThat(client().id()).isEqualTo("me-1");
    }

    @Test
    void the_second_response_of_a_server_that_sends_both_is_ignored() throws Exception {
        Peer peer = connect(USUAL);

        SocketLock lock = acquire(peer, LockMode.READ);

        assertThat(client().id()).matches("c[0-9a-f]{16}-[0-9]+");
        assertThat(lock.isValid()).isTrue();
        assertThat(client().isPrimary()).isFalse();
    }

    @Test
    void a_greeting_response_for_another_client_is_ignored() throws Exception {
        Call<SocketLockClient> connecting = connecting(USUAL);
        Peer peer = primary().caller();
        peer.greeting();
        peer.send("somebody CONNECTED\nCONNECTED\nPONG\n\n   \nCONNECTED a b\n");
        peer.send("CONNECTED mine\n");
        connected = connecting.result();

        assertThat(peer.line()).startsWith("mine PROCESS ");
    }

    @Test
    // H16.
    void connecting_fails_if_the_primary_accepts_and_never_responds() throws Exception {
        assertThatThrownBy(() -> SocketLockClient.connect(path, USUAL, Duration.ofMillis(200)))
                .isInstanceOf(SocketLockUnavailableException.class)
                .hasMessageStartingWith("socketlock: ");

        Peer peer = primary().caller();
        peer.greeting();
        peer.awaitEnd();
    }

    @Test
    // H16.
    void connecting_is_retried_when_the_connection_ends_before_the_response() throws Exception {
        Call<SocketLockClient> connecting = connecting(USUAL);
        primary().caller().hangUp();
        Peer second = primary().caller();
        second.greeting();
        second.hangUp();
        primary().caller().welcome();

        connected = connecting.result();
    }

    @Test
    void a_client_delays_its_reconnect_to_a_server_that_greets_and_disconnects() throws Exception {
        Call<SocketLockClient> connecting = connecting(USUAL);
        long start = System.nanoTime();
        for (int i = 0; i < 50; i++) {
            Peer peer = primary().caller();
            peer.greeting();
            peer.send("CONNECTED x\n");
            peer.hangUp();
        }
        connected = connecting.result();

        assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(80));
    }

    // ---- a normal use

    @Test
    void a_lock_is_requested_confirmed_and_released() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> acquiring =
                acquiring(LockMode.READ, AcquireOptions.ttl(Duration.ofMillis(1200)));
        String[] fields = peer.expects("REQREAD").split(" ", -1);
        assertThat(fields).hasSize(2);
        assertThat(fields[1]).isEqualTo("2");
        peer.offers(LockMode.READ, fields[0]);
        assertThat(acquiring.isDone()).isFalse();
        peer.sends("TOKEN " + fields[0] + " 42");
        peer.sends("LOCKOK " + fields[0]);
        SocketLock lock = acquiring.result();

        assertThat(lock.mode()).isEqualTo(LockMode.READ);
        assertThat(lock.fence()).isEqualTo(42);
        assertThat(lock.state()).isEqualTo(LockState.VALID);
        assertThat(lock.release()).isTrue();
        assertThat(lock.state()).isEqualTo(LockState.RELEASED);
        assertThat(lock.isValid()).isFalse();
        assertThat(lock.release()).isFalse();
        assertThat(peer.expects("RELEASE")).isEqualTo(fields[0]);
        Call<Boolean> closing = Call.run(client()::close);
        peer.expects("EOL");
        peer.hangUp();
        closing.result();
    }

    @Test
    void a_pong_before_the_offer_is_ignored() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);
        String lockId = peer.expects("REQWRITE");
        peer.sends("PONG");
        peer.sends("");
        peer.sends("SOMETHING new " + lockId);
        peer.offers(LockMode.WRITE, lockId);
        peer.sends("PONG");
        peer.sends("LOCKOK " + lockId);

        assertThat(acquiring.result().isValid()).isTrue();
    }

    @Test
    @ResourceLock(OWN_ID)
    void fragmented_lines_and_unusual_whitespace_are_understood() throws Exception {
        Peer peer = connect(LockConfig.builder().clientId("me").build());
        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);
        String lockId = peer.expects("REQWRITE");
        for (char c : ("  me\tWRITELOCK \f " + lockId + "  \r\n").toCharArray()) {
            peer.send(String.valueOf(c));
        }
        peer.expects("CONFIRM");
        peer.send("me LOCKOK " + lockId + "\r\nme PONG\n");

        assertThat(acquiring.result().fence()).isZero();
    }

    // ---- offers that do not become holds

    @Test
    void the_acquire_fails_when_the_primary_reports_that_the_lock_has_ended() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);
        String lockId = peer.offers(LockMode.WRITE, peer.expects("REQWRITE"));
        peer.sends("LOCKTIMEOUT " + lockId);

        assertThat(acquiring.failure())
                .isInstanceOf(SocketLockRefusedException.class)
                .hasMessage("socketlock: lock expired");
        assertThat(acquire(peer, LockMode.WRITE).isValid()).isTrue();
    }

    @Test
    // H8.
    void the_acquire_fails_when_the_confirmation_was_too_late() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);
        String lockId = peer.offers(LockMode.WRITE, peer.expects("REQWRITE"));
        peer.sends("REQFAIL timeout waiting for confirm");
        peer.sends("REQFAIL invalid lock id");
        peer.sends("LOCKTIMEOUT " + lockId);
        peer.sends("LOCKTIMEOUT " + lockId);

        assertThat(acquiring.failure()).hasMessage("socketlock: timeout waiting for confirm");
        SocketLock lock = acquire(peer, LockMode.READ);
        assertThat(lock.isValid()).isTrue();
    }

    @Test
    void the_acquire_fails_when_the_lock_expires_before_the_response() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> acquiring =
                acquiring(LockMode.WRITE, AcquireOptions.ttl(Duration.ofNanos(1)));
        String lockId = peer.expects("REQWRITE").split(" ", -1)[0];
        peer.offers(LockMode.WRITE, lockId);
        long confirmed = System.nanoTime();
        await().until(() -> System.nanoTime() - confirmed > TimeUnit.SECONDS.toNanos(1));
        peer.sends("LOCKOK " + lockId);

        assertThat(acquiring.failure()).hasMessage("socketlock: lock expired");
        assertThat(peer.expects("RELEASE")).isEqualTo(lockId);
    }

    @Test
    // H9.
    void messages_for_an_earlier_acquire_are_ignored() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> acquiring = acquiring(LockMode.READ);
        String lockId = peer.expects("REQREAD");
        peer.sends("REQFAIL offer rejected");
        peer.sends("REQFAIL invalid lock id");
        peer.sends("READLOCK lffffffffffff");
        assertThat(peer.expects("REJECT")).isEqualTo("lffffffffffff");
        peer.sends("WRITELOCK " + lockId);
        assertThat(peer.expects("REJECT")).isEqualTo(lockId);
        peer.sends("LOCKOK " + lockId);
        peer.sends("LOCKTIMEOUT " + lockId);
        peer.send("somebody READLOCK " + lockId + "\n");
        assertThat(acquiring.isDone()).isFalse();
        peer.offers(LockMode.READ, lockId);
        peer.sends("LOCKOK lffffffffffff");
        peer.sends("LOCKTIMEOUT lffffffffffff");
        assertThat(acquiring.isDone()).isFalse();
        peer.sends("LOCKOK " + lockId);

        assertThat(acquiring.result().mode()).isEqualTo(LockMode.READ);
    }

    @Test
    void an_unsolicited_offer_is_rejected() throws Exception {
        Peer peer = connect(USUAL);
        peer.sends("WRITELOCK l1");

        assertThat(peer.expects("REJECT")).isEqualTo("l1");
    }

    @Test
    // H9.
    void an_abandoned_acquire_is_followed_by_a_new_connection() throws Exception {
        Peer first = connect(USUAL);
        Call<SocketLock> hurried =
                acquiring(LockMode.WRITE, AcquireOptions.timeout(Duration.ofMillis(50)));
        String abandoned = first.expects("REQWRITE");
        assertThat(hurried.failure()).isInstanceOf(SocketLockTimeoutException.class);
        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);

        assertThat(first.expects("REJECT")).isEqualTo(abandoned);
        first.expects("EOL");
        first.awaitEnd();
        Peer second = primary().caller().welcome();
        String lockId = second.expects("REQWRITE");
        assertThat(lockId).isNotEqualTo(abandoned);
        second.sends("WRITELOCK " + abandoned);
        assertThat(second.expects("REJECT")).isEqualTo(abandoned);
        second.offers(LockMode.WRITE, lockId);
        second.sends("LOCKOK " + lockId);
        assertThat(acquiring.result().isValid()).isTrue();
    }

    @Test
    void a_lock_granted_together_with_an_interrupt_is_not_lost() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);
        String lockId = peer.offers(LockMode.WRITE, peer.expects("REQWRITE"));
        ReentrantLock monitor = monitor();
        monitor.lock();
        try {
            peer.sends("LOCKOK " + lockId);
            await().until(monitor::hasQueuedThreads); // the response is about to be processed
            acquiring.waiting().interrupt();
            await().until(() -> monitor.hasQueuedThread(acquiring.thread()));
        } finally {
            monitor.unlock();
        }

        SocketLock lock = acquiring.result();
        assertThat(acquiring.keptTheInterrupt()).isTrue();
        assertThat(lock.release()).isTrue();
        assertThat(peer.expects("RELEASE")).isEqualTo(lockId);
    }

    /** The monitor of the client's state. */
    private ReentrantLock monitor() throws ReflectiveOperationException {
        Field state = SocketLockClient.class.getDeclaredField("clientState");
        state.setAccessible(true);
        Field monitor = ClientState.class.getDeclaredField("monitor");
        monitor.setAccessible(true);
        return (ReentrantLock) Objects.requireNonNull(monitor.get(state.get(client())));
    }

    // ---- refusals

    @ParameterizedTest
    @ValueSource(
            strings = {
                "timeout waiting for lock",
                "timeout waiting for confirm",
                "timeout too long",
                "invalid ttl",
                "too many requests",
                "something  else"
            })
    void the_reason_of_a_refusal_is_reported(String reason) throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);
        peer.expects("REQWRITE");
        peer.sends("REQFAIL " + reason);

        Throwable failure = acquiring.failure();
        assertThat(failure)
                .isInstanceOf(SocketLockRefusedException.class)
                .hasMessage("socketlock: " + reason);
        assertThat(((SocketLockRefusedException) failure).reason()).isEqualTo(reason);
        assertThat(acquire(peer, LockMode.WRITE).isValid()).isTrue();
    }

    @Test
    void a_refusal_without_a_reason_has_a_default_reason() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);
        peer.expects("REQWRITE");
        peer.sends("REQFAIL");

        assertThat(acquiring.failure()).hasMessage("socketlock: request failed");
    }

    // ---- while a lock is held

    @Test
    void the_status_of_a_held_lock_is_queried_periodically() throws Exception {
        Peer peer = connect(LockConfig.builder().statusInterval(Duration.ofMillis(20)).build());
        SocketLock lock = acquire(peer, LockMode.WRITE);
        SocketLock nested = client().acquireRead();
        List<LockState> changes = new CopyOnWriteArrayList<>();
        lock.onChange(changes::add);
        String lockId = peer.expects("STATUS");
        peer.sends("LOCKOK " + lockId);
        peer.expects("STATUS");
        peer.sends("LOCKTIMEOUT " + lockId);

        await().until(() -> !lock.isValid());
        assertThat(lock.state()).isEqualTo(LockState.LOST);
        assertThat(nested.state()).isEqualTo(LockState.LOST);
        await().untilAsserted(() -> assertThat(changes).containsExactly(LockState.LOST));
        assertThat(lock.release()).isFalse();
        assertThat(nested.release()).isFalse();
        assertThat(client().isPrimary()).isFalse();
        acquiring(LockMode.WRITE);
        peer.takesAtLast("REQWRITE");
    }

    @Test
    void a_lock_expires_by_the_clients_clock_and_is_released() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> acquiring =
                acquiring(LockMode.WRITE, AcquireOptions.ttl(Duration.ofNanos(1)));
        String lockId = peer.grants(LockMode.WRITE, 1);
        SocketLock lock = acquiring.result();
        List<LockState> changes = new CopyOnWriteArrayList<>();
        lock.onChange(changes::add);

        assertThat(lock.isValid()).isTrue();
        // An original primary frees the lock only at the RELEASE, and Holdfast's keeps the request
        // until then.
        assertThat(peer.expects("RELEASE")).isEqualTo(lockId);
        assertThat(lock.isValid()).isFalse();
        await().until(() -> lock.state() == LockState.LOST);
        await().untilAsserted(() -> assertThat(changes).containsExactly(LockState.LOST));
        assertThat(lock.release()).isFalse();
        client().close();
    }

    @Test
    void close_does_not_wait_for_a_lost_lock() throws Exception {
        Peer peer = connect(LockConfig.builder().statusInterval(Duration.ofMillis(20)).build());
        acquire(peer, LockMode.WRITE);
        Call<Boolean> closing = Call.run(client()::close).waiting();
        peer.sends("LOCKTIMEOUT " + peer.expects("STATUS"));

        assertThat(closing.result()).isTrue();
    }

    @Test
    // H16.
    void an_idle_connection_without_response_is_kept_only_while_a_lock_is_held() throws Exception {
        Peer peer = connect(LockConfig.builder().heartbeat(Duration.ofMillis(1)).build());
        SocketLock lock = acquire(peer, LockMode.WRITE);
        peer.expects("PING");

        await().during(Duration.ofMillis(1500)).until(() -> !peer.hasEnded());
        assertThat(lock.isValid()).isTrue();
        lock.release();
        peer.expects("RELEASE");
        peer.awaitEnd();
        primary().caller().welcome();
    }

    @Test
    // H16.
    void the_primary_is_pinged_while_a_request_waits() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);
        peer.expects("REQWRITE");
        peer.expects("PING"); // long before the heartbeat
        acquiring.waiting();
    }

    @Test
    void a_connection_whose_pings_get_responses_is_kept() throws Exception {
        Peer peer = connect(LockConfig.builder().heartbeat(Duration.ofMillis(1)).build());
        for (int i = 0; i < 2; i++) {
            peer.expects("PING");
            peer.sends("PONG");
        }

        assertThat(acquire(peer, LockMode.READ).isValid()).isTrue();
        assertThat(primary().connections()).isEqualTo(1);
    }

    // ---- the end of a connection

    @ParameterizedTest
    @ValueSource(strings = {"EOL", "me EOL", "me EOL now"})
    @ResourceLock(OWN_ID)
    void an_eol_of_the_primary_ends_the_connection(String farewell) throws Exception {
        Peer first = connect(LockConfig.builder().clientId("me").build());
        first.send(farewell + "\n");

        first.awaitEnd();
        primary().caller().welcome();
    }

    @Test
    void a_lock_is_in_doubt_until_the_next_primary_confirms_it() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        List<LockState> changes = new CopyOnWriteArrayList<>();
        lock.onChange(changes::add);
        first.hangUp();
        await().until(() -> lock.state() == LockState.IN_DOUBT);
        assertThat(lock.isValid()).isFalse();

        Peer second = primary().caller().welcome(8);
        String[] words = second.expects("REASSERT").split(" ", -1);
        assertThat(words).hasSize(3);
        assertThat(words[1]).isEqualTo("WRITE");
        assertThat(words[2]).isEqualTo("7");
        assertThat(second.expects("STATUS")).isEqualTo(words[0]);
        second.expects("SETTLED");
        assertThat(lock.isValid()).isFalse();
        second.sends("LOCKOK " + words[0]);
        await().until(lock::isValid);
        second.hangUp();

        Peer third = primary().caller().welcome(9);
        assertThat(third.expects("REASSERT")).isEqualTo(words[0] + " WRITE 8");
        third.expects("STATUS");
        third.sends("LOCKTIMEOUT " + words[0]);
        await().until(() -> lock.state() == LockState.LOST);
        await().untilAsserted(
                        () ->
                                assertThat(changes)
                                        .containsExactly(
                                                LockState.IN_DOUBT,
                                                LockState.VALID,
                                                LockState.IN_DOUBT,
                                                LockState.LOST));
    }

    @Test
    void a_reassertion_contains_the_remaining_time_to_live() throws Exception {
        Peer first = connect(USUAL);
        Call<SocketLock> acquiring =
                acquiring(LockMode.READ, AcquireOptions.ttl(Duration.ofSeconds(1000)));
        first.grants(LockMode.READ, 1);
        acquiring.result();
        first.hangUp();

        Peer second = primary().caller().welcome(8);
        String[] words = second.expects("REASSERT").split(" ", -1);
        assertThat(words).hasSize(4);
        assertThat(words[1]).isEqualTo("READ");
        assertThat(Integer.parseInt(words[3])).isBetween(900, 1000);
    }

    @Test
    void a_lock_is_lost_at_a_server_without_failover() throws Exception {
        Call<SocketLockClient> connecting = connecting(USUAL);
        Peer first = primary().caller().welcomeLikeAnOriginal();
        connected = connecting.result();
        first.expects("SETTLED");
        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);
        String lockId = first.offers(LockMode.WRITE, first.expects("REQWRITE"));
        first.sends("LOCKOK " + lockId);
        SocketLock lock = acquiring.result();
        assertThat(lock.fence()).isZero();
        first.hangUp();

        Peer second = primary().caller().welcomeLikeAnOriginal();
        assertThat(second.expects("REASSERT")).isEqualTo(lockId + " WRITE 0");
        second.expects("STATUS");
        second.sends("LOCKTIMEOUT " + lockId);
        await().until(() -> lock.state() == LockState.LOST);
    }

    @Test
    void a_client_disconnects_from_an_original_primary_that_lost_the_path() throws Exception {
        Call<SocketLockClient> connecting = connecting(USUAL);
        Peer first = primary().caller().welcomeLikeAnOriginal();
        connected = connecting.result();
        first.expects("SETTLED");
        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);
        String lockId = first.offers(LockMode.WRITE, first.expects("REQWRITE"));
        first.sends("LOCKOK " + lockId);
        SocketLock lock = acquiring.result();

        Files.delete(path);
        try (ScriptedPrimary next = ScriptedPrimary.at(path)) {
            Peer second = next.caller().welcomeLikeAnOriginal();
            assertThat(lock.isValid()).isFalse();
            assertThat(second.expects("REASSERT")).isEqualTo(lockId + " WRITE 0");
            client().closeNow();
        }
    }

    @Test
    // H18.
    void an_acquire_does_not_join_a_lock_in_doubt() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        first.hangUp();
        await().until(() -> lock.state() == LockState.IN_DOUBT);

        assertThat(
                        acquiring(LockMode.READ, AcquireOptions.timeout(Duration.ofMillis(50)))
                                .failure())
                .isInstanceOf(SocketLockTimeoutException.class);
        Call<SocketLock> call = acquiring(LockMode.READ).waiting();
        Peer second = primary().caller().welcome(8);
        second.expects("REASSERT");
        assertThat(call.isDone()).isFalse();
        second.sends("LOCKOK " + second.expects("STATUS"));
        assertThat(call.result().isValid()).isTrue();
    }

    @Test
    void a_new_request_is_sent_when_the_lock_in_doubt_is_lost() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        first.hangUp();
        await().until(() -> lock.state() == LockState.IN_DOUBT);
        Call<SocketLock> acquiring = acquiring(LockMode.READ).waiting();
        Peer second = primary().caller().welcome(8);
        second.expects("REASSERT");
        second.sends("LOCKTIMEOUT " + second.expects("STATUS"));
        second.expects("SETTLED");
        second.grants(LockMode.READ, 200);

        assertThat(acquiring.result().fence()).isEqualTo(200);
        assertThat(lock.state()).isEqualTo(LockState.LOST);
    }

    @Test
    void a_lock_released_while_in_doubt_is_not_reasserted() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        first.hangUp();
        await().until(() -> lock.state() == LockState.IN_DOUBT);
        assertThat(lock.release()).isFalse();

        primary().caller().welcome(); // expects SETTLED, and nothing before it
    }

    @Test
    void a_lock_released_after_its_reassertion_is_released_at_the_primary() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        first.hangUp();
        Peer second = primary().caller().welcome(8);
        second.expects("REASSERT");
        String lockId = second.expects("STATUS");
        second.expects("SETTLED");
        lock.release();
        second.sends("LOCKOK " + lockId);

        assertThat(second.expects("RELEASE")).isEqualTo(lockId);
    }

    @Test
    void a_request_is_sent_again_to_the_next_primary() throws Exception {
        Peer first = connect(USUAL);
        Call<SocketLock> acquiring = acquiring(LockMode.WRITE);
        String lockId = first.offers(LockMode.WRITE, first.expects("REQWRITE"));
        first.hangUp();
        Peer second = primary().caller().welcome();
        String again = second.expects("REQWRITE");
        assertThat(again).isNotEqualTo(lockId);
        second.sends("LOCKOK " + lockId);
        second.offers(LockMode.WRITE, again);
        assertThat(acquiring.isDone()).isFalse();
        second.sends("LOCKOK " + again);

        assertThat(acquiring.result().isValid()).isTrue();
    }

    @Test
    void an_earlier_time_in_doubt_does_not_shorten_a_later_one() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        first.hangUp();
        await().until(() -> lock.state() == LockState.IN_DOUBT);
        long doubted = System.nanoTime();
        Peer second = primary().caller().welcome(8);
        second.expects("REASSERT");
        second.sends("LOCKOK " + second.expects("STATUS"));
        await().until(lock::isValid);
        await().until(() -> System.nanoTime() - doubted > TimeUnit.MILLISECONDS.toNanos(4700));
        second.hangUp();
        Peer third =
                primary().caller(); // without a response until the first timeout would have passed
        await().until(() -> System.nanoTime() - doubted > TimeUnit.MILLISECONDS.toNanos(5300));
        third.welcome(9);
        third.expects("REASSERT");
        third.sends("LOCKOK " + third.expects("STATUS"));

        await().until(lock::isValid);
    }

    @Test
    void a_lock_in_doubt_is_lost_when_no_primary_responds() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        first.hangUp();
        primary().caller(); // without a response

        await().until(() -> lock.state() == LockState.LOST);
        client().close();
    }

    // ---- misbehaving servers

    @Test
    void a_line_without_end_closes_the_connection() throws Exception {
        Peer first = connect(USUAL);
        try {
            first.send("x".repeat(200_000));
        } catch (IOException e) {
            // The client may close before reading all of it.
        }
        first.awaitEnd();
        Peer second = primary().caller().welcome();

        assertThat(acquire(second, LockMode.READ).isValid()).isTrue();
    }

    @Test
    void a_server_that_does_not_read_does_not_block_the_client() throws Exception {
        Call<SocketLockClient> connecting = connecting(USUAL);
        Peer silent = primary().caller();
        silent.send("CONNECTED x\n");
        connected = connecting.result();

        assertThat(
                        acquiring(LockMode.READ, AcquireOptions.timeout(Duration.ofMillis(50)))
                                .failure())
                .isInstanceOf(SocketLockTimeoutException.class);
        client().close();
    }

    @Test
    void close_waits_only_briefly_for_a_server_that_ignores_eol() throws Exception {
        Peer peer = connect(USUAL);

        Call.run(client()::close).result();

        peer.expects("EOL");
        peer.awaitEnd();
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void a_fence_that_is_not_a_number_is_ignored(LockMode mode) throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> acquiring = acquiring(mode);
        String lockId =
                peer.offers(mode, peer.expects(mode == LockMode.READ ? "REQREAD" : "REQWRITE"));
        peer.sends("TOKEN " + lockId);
        peer.sends("TOKEN other 5");
        peer.sends("TOKEN " + lockId + " many");
        peer.sends("EPOCH soon");
        peer.sends("LOCKOK " + lockId);

        assertThat(acquiring.result().fence()).isZero();
    }

    // ---- threads

    @Test
    void unlock_releases_the_lock_of_the_thread_and_not_that_of_another() throws Exception {
        Peer peer = connect(LockConfig.builder().statusInterval(Duration.ofMillis(50)).build());
        Lock lock = client().asReadWriteLock().readLock();
        var firstMayGo = new CountDownLatch(1);
        var secondMayGo = new CountDownLatch(1);
        Call<Boolean> first = lockingUntil(lock, firstMayGo);
        String lost = peer.grants(LockMode.READ, 1);
        assertThat(peer.expects("STATUS")).isEqualTo(lost);
        first.waiting();
        SocketLock joined = client().acquireRead();
        peer.sends("LOCKTIMEOUT " + lost);
        await().until(() -> joined.state() == LockState.LOST);
        Call<Boolean> second = lockingUntil(lock, secondMayGo);
        String lockId = peer.takesAtLast("REQREAD");
        peer.sends("READLOCK " + lockId);
        assertThat(peer.takesAtLast("CONFIRM")).isEqualTo(lockId);
        peer.sends("LOCKOK " + lockId);
        second.waiting();

        firstMayGo.countDown();
        assertThat(first.failure())
                .isInstanceOf(SocketLockException.class)
                .hasMessage("socketlock: lock expired");
        secondMayGo.countDown();
        assertThat(second.result()).isTrue();
        assertThat(peer.takesAtLast("RELEASE")).isEqualTo(lockId);
    }

    private static Call<Boolean> lockingUntil(Lock lock, CountDownLatch mayGo) {
        return Call.of(
                () -> {
                    lock.lock();
                    try {
                        return mayGo.await(60, TimeUnit.SECONDS);
                    } finally {
                        lock.unlock();
                    }
                });
    }
}
