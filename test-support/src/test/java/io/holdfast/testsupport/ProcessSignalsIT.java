package io.holdfast.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.util.List;

@DisplayName("Signals")
class ProcessSignalsIT {
    @Test
    void ignored_signals_are_read_from_the_status_of_a_process() {
        assertThat(ProcessSignals.ignoresAny(List.of("Pid:\t7", "SigIgn:\t0000000000000000")))
                .isFalse();
        assertThat(ProcessSignals.ignoresAny(List.of("SigIgn:\t0000000000001000")))
                .as("PIPE")
                .isFalse();
        assertThat(ProcessSignals.ignoresAny(List.of("SigIgn:\t0000000000000001")))
                .as("HUP")
                .isTrue();
        assertThat(ProcessSignals.ignoresAny(List.of("SigIgn:\t0000000000000006")))
                .as("INT")
                .isTrue();
    }

    @Test
    void signals_reach_a_process_started_with_default_signals() throws Exception {
        for (String name : List.of("HUP", "INT", "QUIT", "TERM")) {
            List<String> command = List.of("sh", "-c", "echo started; exec sleep 60");
            Process process =
                    new ProcessBuilder(ProcessSignals.withDefaultSignals(command)).start();
            assertThat(process.inputReader().readLine()).isEqualTo("started");
            ProcessSignals.send(name, process.pid());
            assertThat(process.waitFor()).as(name).isGreaterThan(128);
        }
    }

    @Test
    void a_signal_that_cannot_be_sent_is_an_error() {
        assertThatThrownBy(() -> ProcessSignals.send("NONSENSE", ProcessHandle.current().pid()))
                .isInstanceOf(AssertionError.class);
    }
}
