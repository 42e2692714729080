package io.holdfast.cli.serve;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.driver.config.SettingRange;
import io.holdfast.server.RestartQuarantineConfig;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Makes the configuration of {@code serve}'s run files and of the quarantine after a crash. */
final class RestartSettings {
    private RestartSettings() {}

    /**
     * Returns null if no quarantine is needed: it is switched off, or the state is on disk.
     *
     * @param environment the variables that name the state directory if no option does
     */
    static @Nullable RestartQuarantineConfig of(
            SettingValues values, Map<String, String> environment) {
        Duration max = values.seconds(Setting.RESTART_QUARANTINE);
        SettingRange.requireNotNegative("restart-quarantine", max);
        if (max.isZero() || values.isSet(Setting.DATA_DIR) || values.isSet(Setting.CLUSTER)) {
            return null;
        }
        Duration grace = values.seconds(Setting.MAX_SESSION_GRACE);
        if (max.compareTo(grace) < 0) {
            throw new ConfigException(
                    "--restart-quarantine must be 0 or at least --max-session-grace (got "
                            + max.toSeconds()
                            + "s and "
                            + grace.toSeconds()
                            + "s)");
        }
        Path given = values.path(Setting.STATE_DIR);
        return given == null
                ? new RestartQuarantineConfig(stateDirectory(environment), false, max)
                : new RestartQuarantineConfig(given, true, max);
    }

    /**
     * Returns the state directory by systemd's variable or the XDG base directory specification.
     */
    private static @Nullable Path stateDirectory(Map<String, String> environment) {
        String systemd = environment.getOrDefault("STATE_DIRECTORY", "");
        if (!systemd.isEmpty()) {
            return Path.of(systemd.split(":", -1)[0]);
        }
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        if (state.startsWith("/")) { // the specification requires relative paths to be ignored
            return Path.of(state, "holdfast");
        }
        String home = environment.getOrDefault("HOME", "");
        return home.startsWith("/") ? Path.of(home, ".local", "state", "holdfast") : null;
    }
}
