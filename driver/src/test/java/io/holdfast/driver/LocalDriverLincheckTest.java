package io.holdfast.driver;

import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Token;
import io.holdfast.testsupport.TestTier;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads share two sessions and two keys of one driver. The results must be those of some order of
 * whole commands.
 */
@DisplayName("The local driver, in many interleavings,")
@Param(name = "who", gen = IntGen.class, conf = "0:1")
@Param(name = "key", gen = IntGen.class, conf = "0:1")
public class LocalDriverLincheckTest {
    /** One driver for all runs, because it has a thread. Each run has its own keys. */
    private static final LocalDriver DRIVER =
            new LocalDriver(
                    new EngineSettings(0, 0, true),
                    KeyCountLimits.NONE,
                    Duration.ofMillis(100),
                    new ClockFences(),
                    () -> true);

    private static final AtomicLong RUNS = new AtomicLong();

    private final SessionClient[] clients = {new SessionClient(DRIVER), new SessionClient(DRIVER)};
    private final Key[] keys = {Key.of("a-" + RUNS.incrementAndGet()), Key.of("b-" + RUNS.get())};

    /** Whether the key was free; empty if the session is closed. */
    @Operation
    public Optional<Boolean> acquire(@Param(name = "who") int who, @Param(name = "key") int key) {
        SessionClient sessionClient = clients[who];
        return sessionClient
                .inbox
                .effectOf(sessionClient.submitAcquire(keys[key], 0, 1_000_000_000_000L))
                .map(effect -> effect instanceof Effect.Granted);
    }

    /** Releases the latest grant of the session for this key. */
    @Operation
    public Optional<Boolean> release(@Param(name = "who") int who, @Param(name = "key") int key) {
        SessionClient sessionClient = clients[who];
        Token last = new Token(0, 0);
        for (Effect effect : sessionClient.inbox.all()) {
            if (effect instanceof Effect.Granted granted && granted.key().equals(keys[key])) {
                last = granted.token();
            }
        }
        return sessionClient
                .tryRelease(keys[key], last)
                .map(effect -> effect instanceof Effect.Released);
    }

    @Operation
    public boolean isHolding(@Param(name = "who") int who) {
        return clients[who].session.isHolding();
    }

    @Operation
    public void close(@Param(name = "who") int who) {
        clients[who].close();
    }

    @AfterAll
    static void end() {
        DRIVER.close();
    }

    @Test
    void the_local_driver_is_linearizable() {
        new StressOptions()
                .iterations(TestTier.usually(10, 100))
                .invocationsPerIteration(400)
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(2)
                .check(getClass());
    }
}
