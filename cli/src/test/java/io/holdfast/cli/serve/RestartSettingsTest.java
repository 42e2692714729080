package io.holdfast.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.server.ConfigException;
import io.holdfast.server.RestartQuarantineConfig;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import picocli.CommandLine;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

@DisplayName("holdfast serve, for a restart after a crash,")
class RestartSettingsTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static @Nullable RestartQuarantineConfig restart(
            Map<String, String> environment, String... words) {
        CommandLine line = ServeCommand.create(environment);
        line.parseArgs(words);
        ServeCommand command = line.getCommand();
        return command.plan().restart();
    }

    private static RestartQuarantineConfig at(String folder, boolean required) {
        return new RestartQuarantineConfig(Path.of(folder), required, HOUR);
    }

    @Test
    void keeps_run_files_where_it_is_told_or_else_where_such_files_are_kept() {
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
    void keeps_none_with_no_quarantine_or_where_locks_survive() {
        assertThat(restart(Map.of(), "--state-dir", "/runs", "--restart-quarantine", "0")).isNull();
        assertThat(restart(Map.of(), "--state-dir", "/runs", "--data-dir", "/data")).isNull();
    }

    @Test
    void waits_no_longer_than_it_is_told_but_long_enough_for_every_grace() {
        assertThat(restart(Map.of(), "--state-dir", "/runs", "--restart-quarantine", "60"))
                .isEqualTo(
                        new RestartQuarantineConfig(Path.of("/runs"), true, Duration.ofMinutes(1)));
        for (List<String> words :
                List.of(
                        List.of("--restart-quarantine", "59"),
                        List.of("--max-session-grace", "3601"))) {
            assertThatThrownBy(() -> restart(Map.of(), words.toArray(String[]::new)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(
                            "--restart-quarantine must be 0 or at least --max-session-grace");
        }
    }
}
