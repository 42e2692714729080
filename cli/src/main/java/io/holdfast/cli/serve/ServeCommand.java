package io.holdfast.cli.serve;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.http.HttpAddress;
import io.holdfast.server.listener.ListenEndpoint;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * {@code holdfast serve}: runs the server. A flag overrides its {@code HOLDFAST_*} variable, the
 * variable overrides the default.
 */
public final class ServeCommand implements Callable<Integer> {
    private static final int WRONG_USAGE = 2;

    private static final List<Setting> SETTINGS =
            Arrays.stream(Setting.values()).filter(s -> s.serveDefault != null).toList();

    private final Map<String, String> environment;
    private final CommandSpec spec;

    private ServeCommand(Map<String, String> environment) {
        this.environment = environment;
        this.spec = CommandSpec.wrapWithoutInspection(this);
    }

    /** Creates the command, to be added to the root command. */
    public static CommandLine create(Map<String, String> environment) {
        ServeCommand command = new ServeCommand(environment);
        CommandSpec spec = command.spec.name("serve").mixinStandardHelpOptions(true);
        spec.usageMessage()
                .description(
                        "Runs the server. Without options it serves dflockd clients on"
                            + " 127.0.0.1:6388, lockd clients on 127.0.0.1:9999, and the HTTP API"
                            + " and dashboard on 127.0.0.1:6389.",
                        "",
                        "Each option can also be set by an environment variable: HOLDFAST_MAX_LOCKS"
                            + " for --max-locks, and so on; the option overrides it. Times are in"
                            + " whole seconds. Unlimited means limited by memory.",
                        "")
                .sortOptions(false);
        for (Setting setting : SETTINGS) {
            spec.addOption(optionSpec(setting));
        }
        CommandLine line = new CommandLine(spec);
        line.setParameterExceptionHandler((e, args) -> usageError(e));
        return line;
    }

    private static OptionSpec optionSpec(Setting setting) {
        String shown = String.valueOf(setting.serveDefault);
        OptionSpec.Builder option =
                OptionSpec.builder("--" + setting.flag)
                        .description(setting.help + (shown.isEmpty() ? "" : " (" + shown + ")"));
        if (setting.type == SettingType.SWITCH) {
            return option.type(Boolean.class)
                    .arity("0..1")
                    .fallbackValue("true")
                    .negatable(true)
                    .build();
        }
        return setting.repeatedLabel == null
                ? option.type(String.class).paramLabel(setting.type.label).build()
                : option.type(List.class)
                        .auxiliaryTypes(String.class)
                        .paramLabel(setting.repeatedLabel)
                        .build();
    }

    @Override
    public Integer call() {
        NameCache.shorten();
        try {
            return ServerRun.run(plan(), "--listen", null);
        } catch (ConfigException e) {
            return usageError(e);
        }
    }

    private static int usageError(Exception e) {
        int _ = ServerRun.configurationError(e);
        return WRONG_USAGE;
    }

    ServerPlan plan() {
        SettingValues values =
                new SettingValues(
                        SETTINGS,
                        setting -> setting.serveDefault,
                        List.of(this::option, this::variable));
        for (Setting setting : SETTINGS) {
            checkReadable(setting, values.text(setting));
        }
        List<ListenEndpoint> listeners = new ArrayList<>();
        List<HttpAddress> http = new ArrayList<>();
        for (String url : values.text(Setting.LISTEN).split("[,\\s]+", -1)) {
            if (!ListenUrl.isHttp(url)) {
                listeners.add(ListenUrl.parse(url));
            } else if (values.isOn(Setting.HTTP)) {
                http.add(ListenUrl.parseHttp(url));
            }
        }
        ServerPlan.Builder plan = values.toPlan().secrets(() -> ServerSecrets.of(values));
        plan.server().listeners(listeners);
        plan.http().addresses(http);
        return plan.cluster(ClusterSettings.of(values))
                .restart(RestartSettings.of(values, environment))
                .build();
    }

    private static void checkReadable(Setting setting, String text) {
        if (!setting.reads(text)) {
            throw new ConfigException(
                    "--%s must be %s (got %s)"
                            .formatted(setting.flag, setting.type.description, text));
        }
    }

    private @Nullable String option(Setting setting) {
        Object value = spec.findOption("--" + setting.flag).getValue();
        if (value instanceof List<?> several) {
            return String.join(",", several.stream().map(String::valueOf).toList());
        }
        return value == null ? null : value.toString();
    }

    /** An empty variable counts as unset. */
    private @Nullable String variable(Setting setting) {
        String text = environment.getOrDefault(setting.holdfastVariable(), "");
        return text.isEmpty() ? null : text;
    }
}
