package io.holdfast.cli.serve;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.server.TlsFiles;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The values of a command's settings as text, and which source each value comes from. */
final class SettingValues {
    /** Gives the text of a setting; null if it has none. */
    @FunctionalInterface
    interface Source {
        @Nullable String text(Setting setting);
    }

    /**
     * @param rank position of its source: a smaller one overrides a larger one; that of a default
     *     is the largest
     */
    private record Value(String text, int rank) {}

    private final Map<Setting, Value> values = new EnumMap<>(Setting.class);
    private final int defaultRank;

    /**
     * @param settings those that the command has
     * @param sources the most important one first
     */
    SettingValues(
            Collection<Setting> settings,
            Function<Setting, @Nullable String> defaults,
            List<Source> sources) {
        this.defaultRank = sources.size();
        for (Setting setting : settings) {
            values.put(setting, value(setting, defaults, sources));
        }
    }

    private static Value value(
            Setting setting, Function<Setting, @Nullable String> defaults, List<Source> sources) {
        for (int rank = 0; rank < sources.size(); rank++) {
            String text = sources.get(rank).text(setting);
            if (text != null) {
                return new Value(text, rank);
            }
        }
        return new Value(String.valueOf(defaults.apply(setting)), sources.size());
    }

    private Value value(Setting setting) {
        Value value = values.get(setting);
        if (value == null) {
            throw new IllegalStateException("no value for " + setting);
        }
        return value;
    }

    String text(Setting setting) {
        return value(setting).text;
    }

    /** Whether any source has a value, even an empty one. */
    boolean isGiven(Setting setting) {
        return value(setting).rank < defaultRank;
    }

    /** Whether the source of the first setting is at least as important as that of the second. */
    boolean isAtLeastAsImportant(Setting first, Setting second) {
        return value(first).rank <= value(second).rank;
    }

    /** Whether there is a value that is not empty. */
    boolean isSet(Setting setting) {
        return values.containsKey(setting) && !text(setting).isEmpty();
    }

    long number(Setting setting) {
        return FlagNumbers.parse(text(setting)).orElseThrow();
    }

    Duration seconds(Setting setting) {
        return Duration.ofSeconds(number(setting));
    }

    boolean isOn(Setting setting) {
        return FlagBooleans.parse(text(setting)).orElseThrow();
    }

    @Nullable Path path(Setting setting) {
        return isSet(setting) ? SettingSpec.path(setting.flag, text(setting)) : null;
    }

    /** Puts all values into the builders of the configuration, whose records check them. */
    ServerPlan.Builder toPlan() {
        ServerPlan.Builder plan = ServerPlan.builder();
        values.forEach((setting, value) -> setting.put(plan, value.text));
        plan.server().tls(tls());
        return plan;
    }

    private @Nullable TlsFiles tls() {
        Path certificate = path(Setting.TLS_CERT);
        Path key = path(Setting.TLS_KEY);
        if (certificate == null && key == null) {
            return null;
        }
        if (certificate == null || key == null) {
            throw new ConfigException("--tls-cert and --tls-key must be given together");
        }
        return new TlsFiles(certificate, key);
    }
}
