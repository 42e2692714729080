package io.holdfast.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.memory.MemoryBudgets;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Objects;

@DisplayName("The limits of a client")
class ClientCapsTest {
    private static final long LONG = Duration.ofHours(1).toNanos();
    private static final int NAMES = 20;
    private static final int WAITS = 10;
    private static final int ENTRIES = 5;

    private final LocalDriver driver =
            new LocalDriver(
                    new DriverConfig(
                            new EngineSettings(0, LONG, true),
                            KeyCountLimits.NONE,
                            new ClientLimits(NAMES, WAITS, ENTRIES),
                            Duration.ofHours(1),
                            0,
                            MemoryBudgets.UNLIMITED,
                            DriverObserver.NONE,
                            SocketReadBarrier.NONE),
                    new ClockFences());
    private final SessionClient alice = new SessionClient(driver);
    private final SessionClient bob = new SessionClient(driver);
    private long requests = 1000;

    @AfterEach
    void close() {
        driver.close();
    }

    private Effect effectOf(SessionClient sessionClient, long request) {
        return sessionClient.inbox.effectOf(request).orElseThrow();
    }

    private static boolean isRefused(Effect effect, Refusal reason) {
        return effect instanceof Effect.Refused refused && refused.reason() == reason;
    }

    private boolean refusesName(SessionClient sessionClient, String name) {
        long request = sessionClient.submitAcquire(Key.of(name), 0, LONG);
        return isRefused(effectOf(sessionClient, request), Refusal.TOO_MANY_KEYS);
    }

    @Test
    void a_client_creates_no_more_keys_than_its_limit_over_all_shards_while_others_can() {
        for (int i = 0; i < NAMES; i++) {
            Key key = Key.of("name-" + i);
            alice.release(key, alice.lock(key)); // retained for an hour
        }
        assertThat(refusesName(alice, "another")).isTrue();
        assertThat(refusesName(alice, "name-0")).as("one that exists").isFalse();
        assertThat(refusesName(bob, "another")).isFalse();
        assertThat(refusesName(alice, "another")).as("it exists now, and is held").isFalse();
    }

    @Test
    void a_client_has_no_more_holds_than_its_limit_of_keys() {
        Key key = Key.of("slots");
        for (int i = 0; i < NAMES; i++) {
            alice.granted(alice.submitAcquire(ResourceKind.SEMAPHORE, key, 1_000_000, 0, LONG));
        }
        long request = alice.submitAcquire(ResourceKind.SEMAPHORE, key, 1_000_000, 0, LONG);
        assertThat(isRefused(effectOf(alice, request), Refusal.TOO_MANY_KEYS)).isTrue();
        bob.granted(bob.submitAcquire(ResourceKind.SEMAPHORE, key, 1_000_000, 0, LONG));
    }

    @Test
    void a_client_has_no_more_waiters_than_its_limit() {
        Token[] tokens = new Token[WAITS + 1];
        for (int i = 0; i <= WAITS; i++) {
            tokens[i] = bob.lock(Key.of("held-" + i));
        }
        for (int i = 0; i < WAITS; i++) {
            alice.submitAcquire(Key.of("held-" + i), LONG, LONG);
        }
        Key last = Key.of("held-" + WAITS);
        long refused = alice.submitAcquire(last, LONG, LONG);
        assertThat(isRefused(effectOf(alice, refused), Refusal.TOO_MANY_WAITERS)).isTrue();
        bob.release(Key.of("held-0"), tokens[0]);
        long request = alice.submitAcquire(last, LONG, LONG);
        assertThat(alice.inbox.effectOf(request)).as("one has been granted").isEmpty();
    }

    @Test
    void a_client_at_its_limit_of_entries_creates_none_until_one_is_dropped() {
        for (int i = 0; i < ENTRIES; i++) {
            assertThat(set(alice, "value-" + i)).isInstanceOf(Effect.Changed.class);
        }
        assertThat(isRefused(set(alice, "more"), Refusal.TOO_MANY_ENTRIES)).isTrue();
        assertThat(set(alice, "value-0")).as("one that exists").isInstanceOf(Effect.Changed.class);
        assertThat(set(bob, "more")).isInstanceOf(Effect.Changed.class);
        data(bob, "value-1", new DataOperation.DeleteValue());
        assertThat(set(alice, "new")).isInstanceOf(Effect.Changed.class);
    }

    private Effect set(SessionClient sessionClient, String name) {
        return data(
                sessionClient, name, new DataOperation.SetValue(ByteString.EMPTY, Command.FOREVER));
    }

    private Effect data(SessionClient sessionClient, String name, DataOperation operation) {
        long request = ++requests;
        sessionClient.session.submit(
                new Command.Data(sessionClient.session.id(), request, Key.of(name), operation));
        return effectOf(sessionClient, request);
    }

    /** Like a lease over HTTP: each request has a session, and the connection has the limits. */
    @Test
    void holds_of_a_closed_session_count_for_its_client_until_they_are_released() {
        ClientUsage usage = new ClientUsage();
        Key key = Key.of("slots");
        Token first = Objects.requireNonNull(lease(key, usage));
        for (int i = 1; i < NAMES; i++) {
            assertThat(lease(key, usage)).isNotNull();
        }
        assertThat(lease(key, usage)).isNull();
        assertThat(bob.release(ResourceKind.SEMAPHORE, key, first))
                .isInstanceOf(Effect.Released.class);
        assertThat(lease(key, usage)).isNotNull();
        assertThat(lease(key, usage)).isNull();
    }

    private @Nullable Token lease(Key key, ClientUsage usage) {
        RecordingMailbox recordingMailbox = new RecordingMailbox();
        Session session =
                driver.open(recordingMailbox, new ClientInfo("test", () -> "lease", false, usage));
        session.submit(
                new Command.Acquire(
                        session.id(),
                        1,
                        ResourceKind.SEMAPHORE,
                        key,
                        1_000_000,
                        0,
                        LONG,
                        driver.salt(),
                        new HoldAttributes(ReadWriteMode.WRITE, false, false)));
        session.close(1);
        return recordingMailbox.effectOf(1).orElseThrow() instanceof Effect.Granted granted
                ? granted.token()
                : null;
    }
}
