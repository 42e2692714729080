package io.holdfast.cli.serve;

import io.holdfast.server.ConfigException;
import io.holdfast.server.RestartQuarantineConfig;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Where {@code serve} keeps its run files, and what a restart after a crash does with them. */
final class RestartSettings {
    private RestartSettings() {}

    /**
     * Null if there is nothing to protect: state that survives needs no quarantine.
     *
     * @param environment names the state directory where no option does
     */
    static @Nullable RestartQuarantineConfig of(
            SettingValues values, Map<String, String> environment) {
        Duration longest = values.seconds(Setting.RESTART_QUARANTINE);
        if (longest.isZero() || values.isSet(Setting.DATA_DIR) || values.isSet(Setting.CLUSTER)) {
            return null;
        }
        Duration grace = values.seconds(Setting.MAX_SESSION_GRACE);
        if (longest.compareTo(grace) < 0) {
            throw new ConfigException(
                    "--restart-quarantine must be 0 or at least --max-session-grace (got "
                            + longest.toSeconds()
                            + "s and "
                            + grace.toSeconds()
                            + "s)");
        }
        Path given = values.path(Setting.STATE_DIR);
        return given == null
                ? new RestartQuarantineConfig(stateDirectory(environment), false, longest)
                : new RestartQuarantineConfig(given, true, longest);
    }

    /** As systemd and the XDG base directory specification say. */
    private static @Nullable Path stateDirectory(Map<String, String> environment) {
        String systemd = environment.getOrDefault("STATE_DIRECTORY", "");
        if (!systemd.isEmpty()) {
            return Path.of(systemd.split(":", -1)[0]);
        }
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        if (state.startsWith("/")) { // a relative one is to be ignored
            return Path.of(state, "holdfast");
        }
        String home = environment.getOrDefault("HOME", "");
        return home.startsWith("/") ? Path.of(home, ".local", "state", "holdfast") : null;
    }
}
