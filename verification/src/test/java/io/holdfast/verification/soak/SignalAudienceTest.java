package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.console.options.ServerAddress;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

@DisplayName("An audience")
@Timeout(120)
class SignalAudienceTest {
    private final StopRequest stop = new StopRequest();
    private final SoakCycle soakCycle =
            new SoakCycle(
                    new SoakPlan(List.of(ServerAddress.parse("127.0.0.1:1")), 4, 20, 1, null, null),
                    stop);
    private final SignalAudience signalAudience = new SignalAudience("here", 4);

    @Test
    void an_audience_has_fewer_lines_in_flight_than_a_server_buffers() throws InterruptedException {
        stop.request(); // so that acquiring permits does not block
        int lines = 0;
        while (signalAudience.acquirePermits(1, soakCycle)) {
            lines++;
        }
        assertThat(lines).isBetween(1, 63);
    }

    @Test
    void an_audience_has_free_permits_again_when_lines_have_arrived() throws InterruptedException {
        stop.request();
        while (signalAudience.acquirePermits(1, soakCycle)) {}
        signalAudience.releasePermit();
        assertThat(signalAudience.acquirePermits(2, soakCycle)).isFalse();
        signalAudience.releasePermit();
        assertThat(signalAudience.acquirePermits(2, soakCycle)).isTrue();
        assertThat(signalAudience.acquirePermits(1, soakCycle)).isFalse();
    }
}
