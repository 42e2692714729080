package io.holdfast.cli.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.options.ServerAddress;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

@DisplayName("An audience")
@Timeout(120)
class AudienceTest {
    private final StopRequest stop = new StopRequest();
    private final Cycle cycle =
            new Cycle(
                    new SoakPlan(List.of(ServerAddress.parse("127.0.0.1:1")), 4, 20, 1, null, null),
                    stop);
    private final Audience audience = new Audience("here", 4);

    @Test
    void has_fewer_lines_underway_than_any_server_keeps() throws InterruptedException {
        stop.request(); // so that nobody waits for room
        int lines = 0;
        while (audience.acquirePermits(1, cycle)) {
            lines++;
        }
        assertThat(lines).isBetween(1, 63);
    }

    @Test
    void has_room_again_when_lines_have_arrived() throws InterruptedException {
        stop.request();
        while (audience.acquirePermits(1, cycle)) {}
        audience.releasePermit();
        assertThat(audience.acquirePermits(2, cycle)).isFalse();
        audience.releasePermit();
        assertThat(audience.acquirePermits(2, cycle)).isTrue();
        assertThat(audience.acquirePermits(1, cycle)).isFalse();
    }
}
