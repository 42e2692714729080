package io.holdfast.server.socketlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.ClockFences;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.KeyCountLimits;
import io.holdfast.driver.LocalDriver;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("A suspended key")
class SuspendedKeysTest {
    private static final Key DEPLOY = key("deploy");

    private final LocalDriver driver =
            new LocalDriver(
                    new EngineSettings(0, 0, true),
                    new KeyCountLimits(0, 1, 0),
                    Duration.ofSeconds(60),
                    new ClockFences(),
                    () -> true);
    private final SuspendedKeys suspendedKeys = new SuspendedKeys(driver);
    private final List<Effect> effects = new ArrayList<>();
    private final Session session =
            driver.open(
                    new EffectMailbox() {
                        @Override
                        public void add(Effect effect) {
                            effects.add(effect);
                        }

                        @Override
                        public void wake() {}
                    },
                    new ClientInfo("test", () -> "test"));
    private long request;

    private static Key key(String name) {
        return Key.of(Namespace.DEFAULT, name.getBytes(StandardCharsets.UTF_8));
    }

    private boolean tryAcquire(Key key) {
        effects.clear();
        session.submit(new Command.TryAcquire(session.id(), ++request, ResourceKind.LOCK, key, 1));
        return effects.getFirst() instanceof Effect.TryAcquired;
    }

    @AfterEach
    void close() {
        driver.close();
    }

    @Test
    void a_suspended_key_is_not_granted_until_every_suspension_is_resumed() {
        assertThat(suspendedKeys.suspend(DEPLOY)).isTrue();
        assertThat(suspendedKeys.suspend(DEPLOY)).isTrue();
        suspendedKeys.resume(DEPLOY);
        assertThat(tryAcquire(DEPLOY)).isFalse();
        suspendedKeys.resume(DEPLOY);
        assertThat(tryAcquire(DEPLOY)).isTrue();
    }

    @Test
    void suspending_a_key_fails_at_the_limit_of_keys() {
        assertThat(tryAcquire(key("other"))).isTrue();
        assertThat(suspendedKeys.suspend(DEPLOY)).isFalse();
        session.submit(
                new Command.ReleaseBySession(
                        session.id(), ++request, ResourceKind.LOCK, key("other")));
        assertThat(suspendedKeys.suspend(DEPLOY)).isTrue();
        suspendedKeys.resume(DEPLOY);
        assertThat(tryAcquire(DEPLOY)).isFalse();
        suspendedKeys.resume(DEPLOY);
        assertThat(tryAcquire(DEPLOY)).isTrue();
    }
}
