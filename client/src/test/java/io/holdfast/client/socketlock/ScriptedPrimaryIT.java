package io.holdfast.client.socketlock;

import static io.holdfast.client.socketlock.Eventually.await;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.client.socketlock.ScriptedPrimary.Peer;

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

@DisplayName("A client, whatever its primary says,")
@Execution(ExecutionMode.CONCURRENT)
class ScriptedPrimaryIT {
    private static final LockConfig USUAL = LockConfig.defaults();

    /** A client greets with its id only while no other of its process has it. */
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
            started.close(); // first, so that no farewell waits for an answer
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

    /** Connects to one of our own servers. */
    private Peer connect(LockConfig config) throws Exception {
        Call<SocketLockClient> connecting = connecting(config);
        Peer peer = primary().caller().welcome();
        connected = connecting.result();
        return peer;
    }

    private Call<SocketLock> asking(LockMode mode, AcquireOptions options) {
        SocketLockClient client = client();
        return Call.of(
                () ->
                        mode == LockMode.READ
                                ? client.acquireRead(options)
                                : client.acquireWrite(options));
    }

    private Call<SocketLock> asking(LockMode mode) {
        return asking(mode, AcquireOptions.NONE);
    }

    private SocketLock acquire(Peer peer, LockMode mode) throws Exception {
        Call<SocketLock> asking = asking(mode);
        peer.grants(mode, 100);
        return asking.result();
    }

    // ---- the greeting

    @Test
    void takes_the_id_that_an_original_makes_for_it() throws Exception {
        Call<SocketLockClient> connecting = connecting(USUAL);
        Peer peer = primary().caller().welcomeLikeAnOriginal();
        connected = connecting.result();
        peer.takes("SETTLED");

        Call<SocketLock> asking = asking(LockMode.WRITE);

        assertThat(peer.line()).matches("c1-1 REQWRITE l[0-9a-f]{12}");
        client().closeNow();
        assertThat(asking.failure()).isInstanceOf(SocketLockClosedException.class);
    }

    @Test
    void keeps_its_own_id_with_a_server_of_the_first_days() throws Exception {
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
    void ignores_the_second_answer_of_a_server_that_gives_both() throws Exception {
        Peer peer = connect(USUAL);

        SocketLock lock = acquire(peer, LockMode.READ);

        assertThat(client().id()).matches("c[0-9a-f]{16}-[0-9]+");
        assertThat(lock.isValid()).isTrue();
        assertThat(client().isPrimary()).isFalse();
    }

    @Test
    void does_not_take_the_greeting_of_another_for_its_own() throws Exception {
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
    void gives_up_on_a_primary_that_accepts_and_never_answers() throws Exception {
        assertThatThrownBy(() -> SocketLockClient.connect(path, USUAL, Duration.ofMillis(200)))
                .isInstanceOf(SocketLockUnavailableException.class)
                .hasMessageStartingWith("socketlock: ");

        Peer peer = primary().caller();
        peer.greeting();
        peer.awaitEnd();
    }

    @Test
    // H16.
    void tries_again_when_a_connection_ends_before_the_answer() throws Exception {
        Call<SocketLockClient> connecting = connecting(USUAL);
        primary().caller().hangUp();
        Peer second = primary().caller();
        second.greeting();
        second.hangUp();
        primary().caller().welcome();

        connected = connecting.result();
    }

    @Test
    void takes_its_time_with_a_server_that_greets_and_hangs_up() throws Exception {
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
    void asks_confirms_and_gives_back() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> asking =
                asking(LockMode.READ, AcquireOptions.ttl(Duration.ofMillis(1200)));
        String[] asked = peer.takes("REQREAD").split(" ", -1);
        assertThat(asked).hasSize(2);
        assertThat(asked[1]).isEqualTo("2");
        peer.offers(LockMode.READ, asked[0]);
        assertThat(asking.isDone()).isFalse();
        peer.says("TOKEN " + asked[0] + " 42");
        peer.says("LOCKOK " + asked[0]);
        SocketLock lock = asking.result();

        assertThat(lock.mode()).isEqualTo(LockMode.READ);
        assertThat(lock.fence()).isEqualTo(42);
        assertThat(lock.state()).isEqualTo(LockState.VALID);
        assertThat(lock.release()).isTrue();
        assertThat(lock.state()).isEqualTo(LockState.RELEASED);
        assertThat(lock.isValid()).isFalse();
        assertThat(lock.release()).isFalse();
        assertThat(peer.takes("RELEASE")).isEqualTo(asked[0]);
        Call<Boolean> closing = Call.run(client()::close);
        peer.takes("EOL");
        peer.hangUp();
        closing.result();
    }

    @Test
    void does_not_mind_a_pong_before_the_offer() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> asking = asking(LockMode.WRITE);
        String lockId = peer.takes("REQWRITE");
        peer.says("PONG");
        peer.says("");
        peer.says("SOMETHING new " + lockId);
        peer.offers(LockMode.WRITE, lockId);
        peer.says("PONG");
        peer.says("LOCKOK " + lockId);

        assertThat(asking.result().isValid()).isTrue();
    }

    @Test
    @ResourceLock(OWN_ID)
    void understands_lines_in_pieces_and_with_odd_blanks() throws Exception {
        Peer peer = connect(LockConfig.builder().clientId("me").build());
        Call<SocketLock> asking = asking(LockMode.WRITE);
        String lockId = peer.takes("REQWRITE");
        for (char c : ("  me\tWRITELOCK \f " + lockId + "  \r\n").toCharArray()) {
            peer.send(String.valueOf(c));
        }
        peer.takes("CONFIRM");
        peer.send("me LOCKOK " + lockId + "\r\nme PONG\n");

        assertThat(asking.result().fence()).isZero();
    }

    // ---- offers that turn out to be none

    @Test
    void does_not_have_the_lock_when_the_primary_says_that_it_is_over() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> asking = asking(LockMode.WRITE);
        String lockId = peer.offers(LockMode.WRITE, peer.takes("REQWRITE"));
        peer.says("LOCKTIMEOUT " + lockId);

        assertThat(asking.failure())
                .isInstanceOf(SocketLockRefusedException.class)
                .hasMessage("socketlock: lock expired");
        assertThat(acquire(peer, LockMode.WRITE).isValid()).isTrue();
    }

    @Test
    // H8.
    void does_not_have_the_lock_when_it_confirmed_too_late() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> asking = asking(LockMode.WRITE);
        String lockId = peer.offers(LockMode.WRITE, peer.takes("REQWRITE"));
        peer.says("REQFAIL timeout waiting for confirm");
        peer.says("REQFAIL invalid lock id");
        peer.says("LOCKTIMEOUT " + lockId);
        peer.says("LOCKTIMEOUT " + lockId);

        assertThat(asking.failure()).hasMessage("socketlock: timeout waiting for confirm");
        SocketLock lock = acquire(peer, LockMode.READ);
        assertThat(lock.isValid()).isTrue();
    }

    @Test
    void does_not_have_a_lock_that_has_ended_before_the_answer() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> asking = asking(LockMode.WRITE, AcquireOptions.ttl(Duration.ofNanos(1)));
        String lockId = peer.takes("REQWRITE").split(" ", -1)[0];
        peer.offers(LockMode.WRITE, lockId);
        long confirmed = System.nanoTime();
        await().until(() -> System.nanoTime() - confirmed > TimeUnit.SECONDS.toNanos(1));
        peer.says("LOCKOK " + lockId);

        assertThat(asking.failure()).hasMessage("socketlock: lock expired");
        assertThat(peer.takes("RELEASE")).isEqualTo(lockId);
    }

    @Test
    // H9.
    void is_not_confused_by_what_was_meant_for_an_acquire_before() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> asking = asking(LockMode.READ);
        String lockId = peer.takes("REQREAD");
        peer.says("REQFAIL offer rejected");
        peer.says("REQFAIL invalid lock id");
        peer.says("READLOCK lffffffffffff");
        assertThat(peer.takes("REJECT")).isEqualTo("lffffffffffff");
        peer.says("WRITELOCK " + lockId);
        assertThat(peer.takes("REJECT")).isEqualTo(lockId);
        peer.says("LOCKOK " + lockId);
        peer.says("LOCKTIMEOUT " + lockId);
        peer.send("somebody READLOCK " + lockId + "\n");
        assertThat(asking.isDone()).isFalse();
        peer.offers(LockMode.READ, lockId);
        peer.says("LOCKOK lffffffffffff");
        peer.says("LOCKTIMEOUT lffffffffffff");
        assertThat(asking.isDone()).isFalse();
        peer.says("LOCKOK " + lockId);

        assertThat(asking.result().mode()).isEqualTo(LockMode.READ);
    }

    @Test
    void rejects_an_offer_while_it_wants_nothing() throws Exception {
        Peer peer = connect(USUAL);
        peer.says("WRITELOCK l1");

        assertThat(peer.takes("REJECT")).isEqualTo("l1");
    }

    @Test
    // H9.
    void makes_a_new_connection_after_an_acquire_that_was_given_up() throws Exception {
        Peer first = connect(USUAL);
        Call<SocketLock> hurried =
                asking(LockMode.WRITE, AcquireOptions.timeout(Duration.ofMillis(50)));
        String abandoned = first.takes("REQWRITE");
        assertThat(hurried.failure()).isInstanceOf(SocketLockTimeoutException.class);
        Call<SocketLock> asking = asking(LockMode.WRITE);

        assertThat(first.takes("REJECT")).isEqualTo(abandoned);
        first.takes("EOL");
        first.awaitEnd();
        Peer second = primary().caller().welcome();
        String lockId = second.takes("REQWRITE");
        assertThat(lockId).isNotEqualTo(abandoned);
        second.says("WRITELOCK " + abandoned);
        assertThat(second.takes("REJECT")).isEqualTo(abandoned);
        second.offers(LockMode.WRITE, lockId);
        second.says("LOCKOK " + lockId);
        assertThat(asking.result().isValid()).isTrue();
    }

    @Test
    void loses_no_lock_that_comes_together_with_an_interrupt() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> asking = asking(LockMode.WRITE);
        String lockId = peer.offers(LockMode.WRITE, peer.takes("REQWRITE"));
        ReentrantLock monitor = monitor();
        monitor.lock();
        try {
            peer.says("LOCKOK " + lockId);
            await().until(monitor::hasQueuedThreads); // the answer is about to be taken
            asking.waiting().interrupt();
            await().until(() -> monitor.hasQueuedThread(asking.thread()));
        } finally {
            monitor.unlock();
        }

        SocketLock lock = asking.result();
        assertThat(asking.keptTheInterrupt()).isTrue();
        assertThat(lock.release()).isTrue();
        assertThat(peer.takes("RELEASE")).isEqualTo(lockId);
    }

    /** What guards all that a client knows. */
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
    void says_why_the_primary_refuses(String reason) throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> asking = asking(LockMode.WRITE);
        peer.takes("REQWRITE");
        peer.says("REQFAIL " + reason);

        Throwable failure = asking.failure();
        assertThat(failure)
                .isInstanceOf(SocketLockRefusedException.class)
                .hasMessage("socketlock: " + reason);
        assertThat(((SocketLockRefusedException) failure).reason()).isEqualTo(reason);
        assertThat(acquire(peer, LockMode.WRITE).isValid()).isTrue();
    }

    @Test
    void has_a_word_for_a_refusal_without_one() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> asking = asking(LockMode.WRITE);
        peer.takes("REQWRITE");
        peer.says("REQFAIL");

        assertThat(asking.failure()).hasMessage("socketlock: request failed");
    }

    // ---- while a lock is held

    @Test
    void asks_now_and_then_whether_its_lock_is_still_held() throws Exception {
        Peer peer = connect(LockConfig.builder().statusInterval(Duration.ofMillis(20)).build());
        SocketLock lock = acquire(peer, LockMode.WRITE);
        SocketLock nested = client().acquireRead();
        List<LockState> changes = new CopyOnWriteArrayList<>();
        lock.onChange(changes::add);
        String lockId = peer.takes("STATUS");
        peer.says("LOCKOK " + lockId);
        peer.takes("STATUS");
        peer.says("LOCKTIMEOUT " + lockId);

        await().until(() -> !lock.isValid());
        assertThat(lock.state()).isEqualTo(LockState.LOST);
        assertThat(nested.state()).isEqualTo(LockState.LOST);
        await().untilAsserted(() -> assertThat(changes).containsExactly(LockState.LOST));
        assertThat(lock.release()).isFalse();
        assertThat(nested.release()).isFalse();
        assertThat(client().isPrimary()).isFalse();
        asking(LockMode.WRITE);
        peer.takesAtLast("REQWRITE");
    }

    @Test
    void ends_its_lock_by_its_own_clock_and_says_so() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> asking = asking(LockMode.WRITE, AcquireOptions.ttl(Duration.ofNanos(1)));
        String lockId = peer.grants(LockMode.WRITE, 1);
        SocketLock lock = asking.result();
        List<LockState> changes = new CopyOnWriteArrayList<>();
        lock.onChange(changes::add);

        assertThat(lock.isValid()).isTrue();
        // An original frees it only when it is told, and ours remembers it until then.
        assertThat(peer.takes("RELEASE")).isEqualTo(lockId);
        assertThat(lock.isValid()).isFalse();
        await().until(() -> lock.state() == LockState.LOST);
        await().untilAsserted(() -> assertThat(changes).containsExactly(LockState.LOST));
        assertThat(lock.release()).isFalse();
        client().close();
    }

    @Test
    void does_not_wait_in_close_for_a_lock_that_is_lost() throws Exception {
        Peer peer = connect(LockConfig.builder().statusInterval(Duration.ofMillis(20)).build());
        acquire(peer, LockMode.WRITE);
        Call<Boolean> closing = Call.run(client()::close).waiting();
        peer.says("LOCKTIMEOUT " + peer.takes("STATUS"));

        assertThat(closing.result()).isTrue();
    }

    @Test
    // H16.
    void keeps_a_silent_connection_only_for_the_sake_of_a_lock() throws Exception {
        Peer peer = connect(LockConfig.builder().heartbeat(Duration.ofMillis(1)).build());
        SocketLock lock = acquire(peer, LockMode.WRITE);
        peer.takes("PING");

        await().during(Duration.ofMillis(1500)).until(() -> !peer.hasEnded());
        assertThat(lock.isValid()).isTrue();
        lock.release();
        peer.takes("RELEASE");
        peer.awaitEnd();
        primary().caller().welcome();
    }

    @Test
    // H16.
    void asks_whether_the_primary_is_there_while_a_request_waits() throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> asking = asking(LockMode.WRITE);
        peer.takes("REQWRITE");
        peer.takes("PING"); // long before the heartbeat
        asking.waiting();
    }

    @Test
    void keeps_a_connection_whose_pings_are_answered() throws Exception {
        Peer peer = connect(LockConfig.builder().heartbeat(Duration.ofMillis(1)).build());
        for (int i = 0; i < 2; i++) {
            peer.takes("PING");
            peer.says("PONG");
        }

        assertThat(acquire(peer, LockMode.READ).isValid()).isTrue();
        assertThat(primary().connections()).isEqualTo(1);
    }

    // ---- the end of a connection

    @ParameterizedTest
    @ValueSource(strings = {"EOL", "me EOL", "me EOL now"})
    @ResourceLock(OWN_ID)
    void takes_a_farewell_for_the_end_of_the_connection(String farewell) throws Exception {
        Peer first = connect(LockConfig.builder().clientId("me").build());
        first.send(farewell + "\n");

        first.awaitEnd();
        primary().caller().welcome();
    }

    @Test
    void doubts_its_lock_until_the_next_primary_confirms_it() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        List<LockState> changes = new CopyOnWriteArrayList<>();
        lock.onChange(changes::add);
        first.hangUp();
        await().until(() -> lock.state() == LockState.IN_DOUBT);
        assertThat(lock.isValid()).isFalse();

        Peer second = primary().caller().welcome(8);
        String[] words = second.takes("REASSERT").split(" ", -1);
        assertThat(words).hasSize(3);
        assertThat(words[1]).isEqualTo("WRITE");
        assertThat(words[2]).isEqualTo("7");
        assertThat(second.takes("STATUS")).isEqualTo(words[0]);
        second.takes("SETTLED");
        assertThat(lock.isValid()).isFalse();
        second.says("LOCKOK " + words[0]);
        await().until(lock::isValid);
        second.hangUp();

        Peer third = primary().caller().welcome(9);
        assertThat(third.takes("REASSERT")).isEqualTo(words[0] + " WRITE 8");
        third.takes("STATUS");
        third.says("LOCKTIMEOUT " + words[0]);
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
    void tells_the_next_primary_how_long_its_lock_still_lasts() throws Exception {
        Peer first = connect(USUAL);
        Call<SocketLock> asking =
                asking(LockMode.READ, AcquireOptions.ttl(Duration.ofSeconds(1000)));
        first.grants(LockMode.READ, 1);
        asking.result();
        first.hangUp();

        Peer second = primary().caller().welcome(8);
        String[] words = second.takes("REASSERT").split(" ", -1);
        assertThat(words).hasSize(4);
        assertThat(words[1]).isEqualTo("READ");
        assertThat(Integer.parseInt(words[3])).isBetween(900, 1000);
    }

    @Test
    void loses_its_lock_to_a_server_that_knows_nothing_of_failover() throws Exception {
        Call<SocketLockClient> connecting = connecting(USUAL);
        Peer first = primary().caller().welcomeLikeAnOriginal();
        connected = connecting.result();
        first.takes("SETTLED");
        Call<SocketLock> asking = asking(LockMode.WRITE);
        String lockId = first.offers(LockMode.WRITE, first.takes("REQWRITE"));
        first.says("LOCKOK " + lockId);
        SocketLock lock = asking.result();
        assertThat(lock.fence()).isZero();
        first.hangUp();

        Peer second = primary().caller().welcomeLikeAnOriginal();
        assertThat(second.takes("REASSERT")).isEqualTo(lockId + " WRITE 0");
        second.takes("STATUS");
        second.says("LOCKTIMEOUT " + lockId);
        await().until(() -> lock.state() == LockState.LOST);
    }

    @Test
    void leaves_an_original_that_serves_on_when_the_path_is_not_its_any_more() throws Exception {
        Call<SocketLockClient> connecting = connecting(USUAL);
        Peer first = primary().caller().welcomeLikeAnOriginal();
        connected = connecting.result();
        first.takes("SETTLED");
        Call<SocketLock> asking = asking(LockMode.WRITE);
        String lockId = first.offers(LockMode.WRITE, first.takes("REQWRITE"));
        first.says("LOCKOK " + lockId);
        SocketLock lock = asking.result();

        Files.delete(path);
        try (ScriptedPrimary next = ScriptedPrimary.at(path)) {
            Peer second = next.caller().welcomeLikeAnOriginal();
            assertThat(lock.isValid()).isFalse();
            assertThat(second.takes("REASSERT")).isEqualTo(lockId + " WRITE 0");
            client().closeNow();
        }
    }

    @Test
    // H18.
    void joins_no_lock_that_is_in_doubt() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        first.hangUp();
        await().until(() -> lock.state() == LockState.IN_DOUBT);

        assertThat(asking(LockMode.READ, AcquireOptions.timeout(Duration.ofMillis(50))).failure())
                .isInstanceOf(SocketLockTimeoutException.class);
        Call<SocketLock> patient = asking(LockMode.READ).waiting();
        Peer second = primary().caller().welcome(8);
        second.takes("REASSERT");
        assertThat(patient.isDone()).isFalse();
        second.says("LOCKOK " + second.takes("STATUS"));
        assertThat(patient.result().isValid()).isTrue();
    }

    @Test
    void asks_anew_when_the_lock_in_doubt_is_lost() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        first.hangUp();
        await().until(() -> lock.state() == LockState.IN_DOUBT);
        Call<SocketLock> asking = asking(LockMode.READ).waiting();
        Peer second = primary().caller().welcome(8);
        second.takes("REASSERT");
        second.says("LOCKTIMEOUT " + second.takes("STATUS"));
        second.takes("SETTLED");
        second.grants(LockMode.READ, 200);

        assertThat(asking.result().fence()).isEqualTo(200);
        assertThat(lock.state()).isEqualTo(LockState.LOST);
    }

    @Test
    void does_not_claim_what_it_gave_back_while_in_doubt() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        first.hangUp();
        await().until(() -> lock.state() == LockState.IN_DOUBT);
        assertThat(lock.release()).isFalse();

        primary().caller().welcome(); // expects SETTLED, and nothing before it
    }

    @Test
    void gives_back_what_it_claimed_and_does_not_want_any_more() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        first.hangUp();
        Peer second = primary().caller().welcome(8);
        second.takes("REASSERT");
        String lockId = second.takes("STATUS");
        second.takes("SETTLED");
        lock.release();
        second.says("LOCKOK " + lockId);

        assertThat(second.takes("RELEASE")).isEqualTo(lockId);
    }

    @Test
    void sends_a_request_again_to_the_next_primary() throws Exception {
        Peer first = connect(USUAL);
        Call<SocketLock> asking = asking(LockMode.WRITE);
        String lockId = first.offers(LockMode.WRITE, first.takes("REQWRITE"));
        first.hangUp();
        Peer second = primary().caller().welcome();
        String again = second.takes("REQWRITE");
        assertThat(again).isNotEqualTo(lockId);
        second.says("LOCKOK " + lockId);
        second.offers(LockMode.WRITE, again);
        assertThat(asking.isDone()).isFalse();
        second.says("LOCKOK " + again);

        assertThat(asking.result().isValid()).isTrue();
    }

    @Test
    void an_earlier_doubt_does_not_shorten_a_later_one() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        first.hangUp();
        await().until(() -> lock.state() == LockState.IN_DOUBT);
        long doubted = System.nanoTime();
        Peer second = primary().caller().welcome(8);
        second.takes("REASSERT");
        second.says("LOCKOK " + second.takes("STATUS"));
        await().until(lock::isValid);
        await().until(() -> System.nanoTime() - doubted > TimeUnit.MILLISECONDS.toNanos(4700));
        second.hangUp();
        Peer third = primary().caller(); // and no answer until the first doubt would be over
        await().until(() -> System.nanoTime() - doubted > TimeUnit.MILLISECONDS.toNanos(5300));
        third.welcome(9);
        third.takes("REASSERT");
        third.says("LOCKOK " + third.takes("STATUS"));

        await().until(lock::isValid);
    }

    @Test
    void loses_a_lock_in_doubt_when_no_primary_answers() throws Exception {
        Peer first = connect(USUAL);
        SocketLock lock = acquire(first, LockMode.WRITE);
        first.hangUp();
        primary().caller(); // and no answer

        await().until(() -> lock.state() == LockState.LOST);
        client().close();
    }

    // ---- servers that do not behave

    @Test
    void gives_up_a_connection_with_a_line_that_does_not_end() throws Exception {
        Peer first = connect(USUAL);
        try {
            first.send("x".repeat(200_000));
        } catch (IOException e) {
            // It need not take all of it.
        }
        first.awaitEnd();
        Peer second = primary().caller().welcome();

        assertThat(acquire(second, LockMode.READ).isValid()).isTrue();
    }

    @Test
    void is_not_held_up_by_a_server_that_does_not_read() throws Exception {
        Call<SocketLockClient> connecting = connecting(USUAL);
        Peer silent = primary().caller();
        silent.send("CONNECTED x\n");
        connected = connecting.result();

        assertThat(asking(LockMode.READ, AcquireOptions.timeout(Duration.ofMillis(50))).failure())
                .isInstanceOf(SocketLockTimeoutException.class);
        client().close();
    }

    @Test
    void does_not_wait_long_for_a_server_that_does_not_answer_a_farewell() throws Exception {
        Peer peer = connect(USUAL);

        Call.run(client()::close).result();

        peer.takes("EOL");
        peer.awaitEnd();
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void takes_no_fence_that_is_not_a_number(LockMode mode) throws Exception {
        Peer peer = connect(USUAL);
        Call<SocketLock> asking = asking(mode);
        String lockId =
                peer.offers(mode, peer.takes(mode == LockMode.READ ? "REQREAD" : "REQWRITE"));
        peer.says("TOKEN " + lockId);
        peer.says("TOKEN other 5");
        peer.says("TOKEN " + lockId + " many");
        peer.says("EPOCH soon");
        peer.says("LOCKOK " + lockId);

        assertThat(asking.result().fence()).isZero();
    }

    // ---- threads

    @Test
    void a_thread_unlocks_its_own_lock_and_not_that_of_another() throws Exception {
        Peer peer = connect(LockConfig.builder().statusInterval(Duration.ofMillis(50)).build());
        Lock lock = client().asReadWriteLock().readLock();
        var firstMayGo = new CountDownLatch(1);
        var secondMayGo = new CountDownLatch(1);
        Call<Boolean> first = lockingUntil(lock, firstMayGo);
        String lost = peer.grants(LockMode.READ, 1);
        assertThat(peer.takes("STATUS")).isEqualTo(lost);
        first.waiting();
        SocketLock joined = client().acquireRead();
        peer.says("LOCKTIMEOUT " + lost);
        await().until(() -> joined.state() == LockState.LOST);
        Call<Boolean> second = lockingUntil(lock, secondMayGo);
        String lockId = peer.takesAtLast("REQREAD");
        peer.says("READLOCK " + lockId);
        assertThat(peer.takesAtLast("CONFIRM")).isEqualTo(lockId);
        peer.says("LOCKOK " + lockId);
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
