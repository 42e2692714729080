package io.holdfast.cli.serve;

import io.holdfast.console.options.FileNames;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.server.IoTransport;

import org.jspecify.annotations.Nullable;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import java.util.function.ObjLongConsumer;

/**
 * A row of the table {@link Setting}: how a value is written, which commands have the setting, and
 * into which record its value is put. Both commands have it, with the default of that record,
 * unless the row specifies otherwise.
 */
final class SettingSpec {
    private static final ServerPlan DEFAULTS = ServerPlan.builder().withoutAddress();

    final String flag;
    final SettingType type;
    final BiConsumer<ServerPlan.Builder, String> setter;
    @Nullable String serveDefault;
    @Nullable String dflockdDefault;
    List<String> dflockdVariables = List.of();
    @Nullable String serveVariable;
    @Nullable String repeatedLabel;
    String help = "";

    private SettingSpec(
            String flag,
            SettingType type,
            String defaultText,
            BiConsumer<ServerPlan.Builder, String> setter) {
        this.flag = flag;
        this.type = type;
        this.setter = setter;
        this.serveDefault = defaultText;
        this.dflockdDefault = defaultText;
    }

    // ---- values that are put into a record; the default is the one of the record

    static SettingSpec count(
            String flag,
            ObjLongConsumer<ServerPlan.Builder> setter,
            Function<ServerPlan, Long> of) {
        return new SettingSpec(
                flag,
                SettingType.COUNT,
                text(of),
                (plan, text) -> setter.accept(plan, number(text)));
    }

    /** A number of which everything beyond the range of an int is the largest int. */
    static SettingSpec limit(
            String flag,
            ObjIntConsumer<ServerPlan.Builder> setter,
            Function<ServerPlan, Integer> of) {
        return new SettingSpec(
                flag,
                SettingType.COUNT,
                text(of),
                (plan, text) ->
                        setter.accept(
                                plan,
                                Math.clamp(number(text), Integer.MIN_VALUE, Integer.MAX_VALUE)));
    }

    static SettingSpec seconds(
            String flag,
            BiConsumer<ServerPlan.Builder, Duration> setter,
            Function<ServerPlan, Duration> of) {
        return new SettingSpec(
                flag,
                SettingType.SECONDS,
                text(of),
                (plan, text) -> setter.accept(plan, Duration.ofSeconds(number(text))));
    }

    static SettingSpec toggle(
            String flag,
            BiConsumer<ServerPlan.Builder, Boolean> setter,
            Function<ServerPlan, Boolean> of) {
        return new SettingSpec(
                flag,
                SettingType.SWITCH,
                text(of),
                (plan, text) -> setter.accept(plan, FlagBooleans.parse(text).orElseThrow()));
    }

    static SettingSpec text(
            String flag,
            BiConsumer<ServerPlan.Builder, String> setter,
            Function<ServerPlan, ?> of) {
        return new SettingSpec(flag, SettingType.TEXT, text(of), setter);
    }

    /** A list of names, separated by commas or whitespace. */
    static SettingSpec names(
            String flag,
            BiConsumer<ServerPlan.Builder, Set<String>> setter,
            Function<ServerPlan, Set<String>> of) {
        return text(flag, (plan, text) -> setter.accept(plan, names(text)), of);
    }

    static SettingSpec path(
            String flag,
            BiConsumer<ServerPlan.Builder, @Nullable Path> setter,
            Function<ServerPlan, @Nullable Path> of) {
        return text(
                flag,
                (plan, text) -> setter.accept(plan, text.isEmpty() ? null : path(flag, text)),
                of);
    }

    /** A value that has a meaning only with others: the command reads it and combines them. */
    static SettingSpec combined(String flag, SettingType type, String defaultText) {
        return new SettingSpec(flag, type, defaultText, (plan, text) -> {});
    }

    // ---- other attributes of a row

    SettingSpec help(String text) {
        help = text;
        return this;
    }

    /** The variables of {@code dflockd}; the first one that is set is used. */
    SettingSpec variables(String... names) {
        dflockdVariables = List.of(names);
        return this;
    }

    /** The variable of {@code serve} if it is not named after the flag. */
    SettingSpec serveVariable(String name) {
        serveVariable = name;
        return this;
    }

    /** The setting may be repeated. */
    SettingSpec repeated(String label) {
        repeatedLabel = label;
        return this;
    }

    /** The default of {@code dflockd} if it differs. */
    SettingSpec inDflockd(String value) {
        dflockdDefault = value;
        return this;
    }

    SettingSpec onlyInServe() {
        dflockdDefault = null;
        return this;
    }

    SettingSpec onlyInDflockd() {
        serveDefault = null;
        return this;
    }

    // ---- text

    private static long number(String text) {
        return FlagNumbers.parse(text).orElseThrow();
    }

    private static Set<String> names(String text) {
        Set<String> names = new LinkedHashSet<>(List.of(text.split("[,\\s]+", -1)));
        names.remove("");
        return names;
    }

    static Path path(String flag, String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new ConfigException("--" + flag + ": " + FileNames.refused(text));
        }
    }

    /** The value that a server has by default, as its setting is written. */
    private static String text(Function<ServerPlan, ?> of) {
        return switch (of.apply(DEFAULTS)) {
            case null -> "";
            case Duration duration -> Long.toString(duration.toSeconds());
            case IoTransport transport -> transport.label();
            case Collection<?> names ->
                    String.join(",", names.stream().map(String::valueOf).toList());
            case Object value -> value.toString();
        };
    }
}
