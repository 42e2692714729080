package io.holdfast.cli.serve;

import org.jspecify.annotations.Nullable;

import java.util.stream.Collectors;

/** Makes the README's table of settings from {@link Setting}. */
final class SettingsTable {
    private SettingsTable() {}

    static String markdown() {
        StringBuilder table = new StringBuilder();
        row(table, "Flag", "dflockd variable", "dflockd default", "serve default", "What it does");
        table.append("|---|---|---|---|---|\n");
        for (Setting setting : Setting.values()) {
            row(
                    table,
                    code("--" + setting.flag),
                    setting.dflockdVariables.stream()
                            .map(SettingsTable::code)
                            .collect(Collectors.joining(", ")),
                    value(setting.dflockdDefault),
                    value(setting.serveDefault),
                    setting.help);
        }
        return table.toString();
    }

    private static void row(StringBuilder table, String... cells) {
        table.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }

    private static String value(@Nullable String text) {
        if (text == null) {
            return "—";
        }
        return text.isEmpty() ? "*unset*" : code(text);
    }

    private static String code(String text) {
        return "`" + text + "`";
    }
}
