package io.holdfast.cli.serve;

import io.holdfast.driver.Secret;
import io.holdfast.server.ConfigException;
import io.holdfast.server.ListenEndpoint;

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

    /** The settings that may be repeated, with the label of one value. */
    private static final Map<Setting, String> REPEATED =
            Map.of(
                    Setting.LISTEN,
                    "URL",
                    Setting.WS_ALLOW_ORIGIN,
                    "NAME",
                    Setting.CLUSTER,
                    "NODES");

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
            spec.addOption(option(setting));
        }
        CommandLine line = new CommandLine(spec);
        line.setParameterExceptionHandler((e, args) -> usageError(e));
        return line;
    }

    private static OptionSpec option(Setting setting) {
        String shown = String.valueOf(setting.serveDefault);
        OptionSpec.Builder option =
                OptionSpec.builder("--" + setting.flag)
                        .description(setting.help + (shown.isEmpty() ? "" : " (" + shown + ")"));
        return switch (setting.type) {
            case SWITCH ->
                    option.type(Boolean.class)
                            .arity("0..1")
                            .fallbackValue("true")
                            .negatable(true)
                            .build();
            case TEXT ->
                    REPEATED.containsKey(setting)
                            ? option.type(List.class)
                                    .auxiliaryTypes(String.class)
                                    .paramLabel(REPEATED.get(setting))
                                    .build()
                            : option.type(String.class).paramLabel("TEXT").build();
            case COUNT -> option.type(String.class).paramLabel("N").build();
            case SECONDS -> option.type(String.class).paramLabel("SECONDS").build();
        };
    }

    @Override
    public Integer call() {
        try {
            return ServerRun.run(plan(), "--listen");
        } catch (ConfigException e) {
            return usageError(e);
        }
    }

    private static int usageError(Exception e) {
        int _ = ServerRun.configurationError(e);
        return WRONG_USAGE;
    }

    ServerPlan plan() {
        SettingValues values = new SettingValues(true);
        for (Setting setting : SETTINGS) {
            String text = value(setting);
            if (!setting.reads(text)) {
                throw new ConfigException(
                        "--"
                                + setting.flag
                                + " must be "
                                + expected(setting)
                                + " (got "
                                + text
                                + ")");
            }
            values.put(setting, text);
        }
        List<ListenEndpoint> listeners = new ArrayList<>();
        List<HttpListener> http = new ArrayList<>();
        for (String url : values.text(Setting.LISTEN).split("[,\\s]+", -1)) {
            if (!ListenUrl.isHttp(url)) {
                listeners.add(ListenUrl.parse(url));
            } else if (values.isOn(Setting.HTTP)) {
                http.add(ListenUrl.parseHttp(url));
            }
        }
        ServerSecrets serverSecrets = secrets();
        return new ServerPlan(
                values.toConfig(listeners, http, serverSecrets.full(), values.lockd(null)),
                values.http(http, serverSecrets.full(), serverSecrets.reading()),
                ClusterSettings.of(values),
                this::secrets,
                RestartSettings.of(values, environment));
    }

    private static String expected(Setting setting) {
        return switch (setting.type) {
            case TEXT -> "a text";
            case COUNT -> "a whole number";
            case SECONDS -> "a whole number of seconds";
            case SWITCH -> "true or false";
        };
    }

    private String value(Setting setting) {
        String given = given(setting);
        return given != null ? given : variable(setting, String.valueOf(setting.serveDefault));
    }

    private String variable(Setting setting, String otherwise) {
        String text = environment.getOrDefault(setting.holdfastVariable(), "");
        return text.isEmpty() ? otherwise : text;
    }

    private @Nullable String given(Setting setting) {
        Object value = spec.findOption("--" + setting.flag).getValue();
        if (value instanceof List<?> several) {
            return String.join(",", several.stream().map(String::valueOf).toList());
        }
        return value == null ? null : value.toString();
    }

    private ServerSecrets secrets() {
        return new ServerSecrets(
                secret(Setting.AUTH_TOKEN, Setting.AUTH_TOKEN_FILE),
                secret(Setting.HTTP_READ_TOKEN, Setting.HTTP_READ_TOKEN_FILE));
    }

    private @Nullable Secret secret(Setting direct, Setting file) {
        String flag = given(direct);
        String fileFlag = given(file);
        if (flag != null) {
            return SettingValues.secret(direct, flag);
        }
        if (fileFlag != null) {
            return SettingValues.secretFile(direct, fileFlag);
        }
        String variable = variable(direct, "");
        String fileVariable = variable(file, "");
        if (!variable.isEmpty()) {
            return SettingValues.secret(direct, variable);
        }
        return fileVariable.isEmpty() ? null : SettingValues.secretFile(direct, fileVariable);
    }
}
