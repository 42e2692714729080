package io.holdfast.driver.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.Peer;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicReference;

@DisplayName("Those who have gone")
class DepartedTest {
    private final Departed departed = new Departed();

    @Test
    void keep_the_name_they_had_when_they_went() {
        AtomicReference<String> name = new AtomicReference<>("127.0.0.1:4711");
        departed.add(7, new Peer("dflockd", name::get));
        name.set("nobody");
        Peer known = departed.get(7);
        assertThat(known).isNotNull();
        assertThat(known.protocol()).isEqualTo("dflockd");
        assertThat(known.name().get()).isEqualTo("127.0.0.1:4711");
    }

    @Test
    void are_forgotten_when_enough_others_have_gone_since() {
        for (long session = 1; session <= Departed.KEPT + 1; session++) {
            departed.add(session, new Peer("http", () -> "somebody"));
        }
        assertThat(departed.get(1)).isNull();
        assertThat(departed.get(2)).isNotNull();
    }

    @Test
    void are_found_by_the_observatory_like_those_who_are_there() {
        Observatory observatory = new Observatory(1, System::nanoTime);
        Peer peer = new Peer("lockd", () -> "unix:1");
        observatory.opened(3, peer);
        assertThat(observatory.peerOf(3)).isSameAs(peer);
        observatory.closed(3, peer);
        Peer known = observatory.peerOf(3);
        assertThat(known).isNotNull();
        assertThat(known.name().get()).isEqualTo("unix:1");
        assertThat(observatory.peerOf(4)).isNull();
    }
}
