package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.console.options.ServerAddress;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

@DisplayName("The receivers of a signal")
@Timeout(120)
class SignalReceiversTest {
    private final StopRequest stop = new StopRequest();
    private final SoakCycle soakCycle =
            new SoakCycle(
                    new SoakOptions(
                            List.of(ServerAddress.parse("127.0.0.1:1")), 4, 20, 1, null, null),
                    stop);
    private final SignalReceivers signalReceivers = new SignalReceivers("here", 4);

    @Test
    void receivers_have_fewer_lines_in_flight_than_a_server_buffers() throws InterruptedException {
        stop.request(); // so that acquiring permits does not block
        int lines = 0;
        while (signalReceivers.acquirePermits(1, soakCycle)) {
            lines++;
        }
        assertThat(lines).isBetween(1, 63);
    }

    @Test
    void receivers_have_free_permits_again_when_lines_have_arrived() throws InterruptedException {
        stop.request();
        while (signalReceivers.acquirePermits(1, soakCycle)) {}
        signalReceivers.releasePermit();
        assertThat(signalReceivers.acquirePermits(2, soakCycle)).isFalse();
        signalReceivers.releasePermit();
        assertThat(signalReceivers.acquirePermits(2, soakCycle)).isTrue();
        assertThat(signalReceivers.acquirePermits(1, soakCycle)).isFalse();
    }
}
