package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.server.RestartQuarantineConfig;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import picocli.CommandLine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

@DisplayName("The restart settings of holdfast serve")
class RestartSettingsTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static @Nullable RestartQuarantineConfig restart(
            Map<String, String> environment, String... args) {
        CommandLine line = ServeCommand.create(environment);
        line.parseArgs(args);
        ServeCommand command = line.getCommand();
        return command.plan().restart();
    }

    private static RestartQuarantineConfig at(String folder, boolean required) {
        return new RestartQuarantineConfig(Path.of(folder), required, HOUR);
    }

    @Test
    void run_files_are_in_the_given_or_the_standard_state_directory() {
        Map<String, String> all =
                Map.of(
                        "STATE_DIRECTORY", "/var/lib/locks:/var/lib/other",
                        "XDG_STATE_HOME", "/xdg",
                        "HOME", "/home/me");
        assertThat(restart(all, "--state-dir", "runs")).isEqualTo(at("runs", true));
        assertThat(restart(Map.of("HOLDFAST_STATE_DIR", "/runs", "HOME", "/home/me")))
                .isEqualTo(at("/runs", true));
        assertThat(restart(all)).isEqualTo(at("/var/lib/locks", false));
        assertThat(restart(Map.of("XDG_STATE_HOME", "/xdg", "HOME", "/home/me")))
                .isEqualTo(at("/xdg/holdfast", false));
        assertThat(restart(Map.of("XDG_STATE_HOME", "xdg", "HOME", "/home/me")))
                .isEqualTo(at("/home/me/.local/state/holdfast", false));
        assertThat(restart(Map.of())).isEqualTo(new RestartQuarantineConfig(null, false, HOUR));
    }

    @Test
    void there_are_no_run_files_without_quarantine_or_with_durable_state() {
        assertThat(restart(Map.of(), "--state-dir", "/runs", "--restart-quarantine", "0")).isNull();
        assertThat(restart(Map.of(), "--state-dir", "/runs", "--data-dir", "/data")).isNull();
    }

    @Test
    void the_quarantine_must_be_at_least_the_session_grace() {
        assertThat(restart(Map.of(), "--state-dir", "/runs", "--restart-quarantine", "60"))
                .isEqualTo(
                        new RestartQuarantineConfig(Path.of("/runs"), true, Duration.ofMinutes(1)));
        for (List<String> args :
                List.of(
                        List.of("--restart-quarantine", "59"),
                        List.of("--max-session-grace", "3601"))) {
            assertThatThrownBy(() -> restart(Map.of(), args.toArray(String[]::new)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(
                            "--restart-quarantine must be 0 or at least --max-session-grace");
        }
    }
}
