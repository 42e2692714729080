package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.Caps;
import io.holdfast.driver.ClockFences;
import io.holdfast.driver.LocalDriver;
import io.holdfast.driver.Mailbox;
import io.holdfast.driver.Peer;
import io.holdfast.driver.Session;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Kind;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.Settings;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("A suspended key")
class SuspensionsTest {
    private static final Key DEPLOY = key("deploy");

    private final LocalDriver driver =
            new LocalDriver(
                    new Settings(0, 0, true),
                    new Caps(0, 1, 0),
                    Duration.ofSeconds(60),
                    new ClockFences(),
                    () -> true);
    private final Suspensions suspensions = new Suspensions(driver);
    private final List<Effect> effects = new ArrayList<>();
    private final Session session =
            driver.open(
                    new Mailbox() {
                        @Override
                        public void add(Effect effect) {
                            effects.add(effect);
                        }

                        @Override
                        public void wake() {}
                    },
                    new Peer("test", () -> "test"));
    private long request;

    private static Key key(String name) {
        return Key.of(Namespace.DEFAULT, name.getBytes(StandardCharsets.UTF_8));
    }

    private boolean claims(Key key) {
        effects.clear();
        session.submit(new Command.Claim(session.id(), ++request, Kind.MUTEX, key, 1));
        return effects.getFirst() instanceof Effect.Claimed;
    }

    @AfterEach
    void close() {
        driver.close();
    }

    @Test
    void is_given_to_nobody_until_every_reason_has_gone() {
        assertThat(suspensions.suspend(DEPLOY)).isTrue();
        assertThat(suspensions.suspend(DEPLOY)).isTrue();
        suspensions.resume(DEPLOY);
        assertThat(claims(DEPLOY)).isFalse();
        suspensions.resume(DEPLOY);
        assertThat(claims(DEPLOY)).isTrue();
    }

    @Test
    void needs_room_for_its_name() {
        assertThat(claims(key("other"))).isTrue();
        assertThat(suspensions.suspend(DEPLOY)).isFalse();
        session.submit(new Command.Unclaim(session.id(), ++request, Kind.MUTEX, key("other")));
        assertThat(suspensions.suspend(DEPLOY)).isTrue();
        suspensions.resume(DEPLOY);
        assertThat(claims(DEPLOY)).isFalse();
        suspensions.resume(DEPLOY);
        assertThat(claims(DEPLOY)).isTrue();
    }
}
