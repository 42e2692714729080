package io.holdfast.cli.serve;

import io.holdfast.driver.Secret;
import io.holdfast.engine.Namespace;
import io.holdfast.server.ConfigException;
import io.holdfast.server.ListenAddress;
import io.holdfast.server.ListenEndpoint;
import io.holdfast.server.LockdConfig;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * {@code holdfast dflockd}: the original's flags, variables, defaults and exit behaviour. A
 * variable overrides its flag.
 */
public final class DflockdCommand {
    private static final Logger LOG = LoggerFactory.getLogger(DflockdCommand.class);
    private static final String NO_AUTO_RELEASE = "no-auto-release-on-disconnect";

    private static final List<Setting> SETTINGS =
            Arrays.stream(Setting.values()).filter(s -> s.dflockdDefault != null).toList();

    private DflockdCommand() {}

    /**
     * Returns the exit status.
     *
     * @param version the output of {@code --version}
     */
    public static int run(List<String> args, Map<String, String> environment, String version) {
        Map<String, String> flags;
        try {
            flags = GoFlags.parse(args, DflockdCommand::isSwitch);
            if (flags.containsKey("help") || flags.containsKey("h")) {
                System.out.print(usage());
                return 0;
            }
            if (FlagBooleans.parseGoFlag(flags.getOrDefault("version", "false")).orElse(false)) {
                System.out.println(version);
                return 0;
            }
            checkReadable(flags);
        } catch (GoFlags.FlagException e) {
            System.err.print(usage());
            return ServerRun.configurationError(e);
        }
        try {
            return ServerRun.run(plan(flags, environment), "--port or --http-port");
        } catch (ConfigException e) {
            return ServerRun.configurationError(e);
        }
    }

    static @Nullable Boolean isSwitch(String name) {
        if (List.of("help", "h", "version", NO_AUTO_RELEASE).contains(name)) {
            return true;
        }
        return SETTINGS.stream()
                .filter(s -> s.flag.equals(name))
                .map(s -> s.type == Setting.Type.SWITCH)
                .findFirst()
                .orElse(null);
    }

    private static void checkReadable(Map<String, String> flags) throws GoFlags.FlagException {
        for (Map.Entry<String, String> given : flags.entrySet()) {
            String name = given.getKey();
            String value = given.getValue();
            if (Boolean.TRUE.equals(isSwitch(name))) {
                if (FlagBooleans.parseGoFlag(value).isEmpty()) {
                    throw new GoFlags.FlagException(
                            "invalid boolean value \""
                                    + value
                                    + "\" for -"
                                    + name
                                    + ": parse error");
                }
                continue;
            }
            for (Setting setting : SETTINGS) {
                if (setting.flag.equals(name) && !setting.reads(value)) {
                    throw new GoFlags.FlagException(
                            "invalid value \"" + value + "\" for flag -" + name + ": parse error");
                }
            }
        }
    }

    static ServerPlan plan(Map<String, String> flags, Map<String, String> environment) {
        SettingValues values = new SettingValues(false);
        for (Setting setting : SETTINGS) {
            values.put(setting, value(setting, flags, environment));
        }
        boolean tls = values.isSet(Setting.TLS_CERT) || values.isSet(Setting.TLS_KEY);
        int port = (int) values.number(Setting.PORT);
        ListenEndpoint listenEndpoint = new ListenEndpoint(values.text(Setting.HOST), port, tls);
        List<HttpListener> http = http(values, port, tls);
        ServerSecrets serverSecrets = secrets(flags, environment);
        return new ServerPlan(
                values.toConfig(
                        List.of(listenEndpoint),
                        http,
                        serverSecrets.full(),
                        new LockdConfig(0, Set.of(), null)),
                values.http(http, serverSecrets.full(), serverSecrets.reading()),
                null,
                () -> secrets(flags, environment),
                null);
    }

    private static ServerSecrets secrets(
            Map<String, String> flags, Map<String, String> environment) {
        return new ServerSecrets(
                secret(Setting.AUTH_TOKEN, Setting.AUTH_TOKEN_FILE, flags, environment),
                secret(Setting.HTTP_READ_TOKEN, Setting.HTTP_READ_TOKEN_FILE, flags, environment));
    }

    private static List<HttpListener> http(SettingValues values, int port, boolean tls) {
        int httpPort = (int) values.number(Setting.HTTP_PORT);
        if (httpPort == 0) {
            return List.of();
        }
        if (httpPort == port) {
            throw new ConfigException("--http-port must not be that of --port (got " + port + ")");
        }
        String host =
                values.text(values.isSet(Setting.HTTP_HOST) ? Setting.HTTP_HOST : Setting.HOST);
        return List.of(
                new HttpListener(new ListenAddress.Tcp(host, httpPort), tls, Namespace.DEFAULT));
    }

    private static String value(
            Setting setting, Map<String, String> flags, Map<String, String> environment) {
        for (String variable : setting.dflockdVariables) {
            String text = environment.getOrDefault(variable, "");
            if (text.isEmpty()) {
                continue;
            }
            if (setting.reads(text)) {
                return text;
            }
            LOG.atWarn()
                    .addKeyValue("variable", variable)
                    .log("ignored a variable with an invalid value");
        }
        if (setting == Setting.AUTO_RELEASE_ON_DISCONNECT && flags.containsKey(NO_AUTO_RELEASE)) {
            boolean no =
                    FlagBooleans.parseGoFlag(flags.getOrDefault(NO_AUTO_RELEASE, "")).orElse(true);
            return no ? "false" : "true";
        }
        String given = flags.get(setting.flag);
        if (given == null) {
            return String.valueOf(setting.dflockdDefault);
        }
        return setting.type == Setting.Type.SWITCH
                ? String.valueOf(FlagBooleans.parseGoFlag(given).orElseThrow())
                : given;
    }

    /** Returns the first that is set and not empty: the two variables, then the two flags. */
    private static @Nullable Secret secret(
            Setting direct,
            Setting file,
            Map<String, String> flags,
            Map<String, String> environment) {
        String variable = environment.getOrDefault(direct.dflockdVariables.getFirst(), "");
        String fileVariable = environment.getOrDefault(file.dflockdVariables.getFirst(), "");
        String flag = flags.getOrDefault(direct.flag, "");
        String fileFlag = flags.getOrDefault(file.flag, "");
        if (!variable.isEmpty()) {
            return SettingValues.secret(direct, variable);
        }
        if (!fileVariable.isEmpty()) {
            return SettingValues.secretFile(direct, fileVariable);
        }
        if (!flag.isEmpty()) {
            return SettingValues.secret(direct, flag);
        }
        return fileFlag.isEmpty() ? null : SettingValues.secretFile(direct, fileFlag);
    }

    static String usage() {
        StringBuilder text = new StringBuilder();
        text.append("Usage: holdfast dflockd [flags]\n\n");
        text.append("Serves the dflockd protocol with dflockd's flags, variables and defaults.\n");
        text.append("A variable overrides its flag. Times are in whole seconds.\n\n");
        for (Setting setting : SETTINGS) {
            String value =
                    switch (setting.type) {
                        case TEXT -> " TEXT";
                        case COUNT -> " N";
                        case SECONDS -> " SECONDS";
                        case SWITCH -> "";
                    };
            text.append("  --").append(setting.flag).append(value).append('\n');
            text.append("        ").append(setting.help);
            if (!String.valueOf(setting.dflockdDefault).isEmpty()) {
                text.append(" (default ").append(setting.dflockdDefault).append(')');
            }
            if (!setting.dflockdVariables.isEmpty()) {
                text.append("\n        variable ");
                text.append(String.join(", or ", setting.dflockdVariables));
            }
            text.append('\n');
        }
        text.append("  --").append(NO_AUTO_RELEASE).append('\n');
        text.append(
                "        Keep a client's holds after its connection ends, until their leases"
                        + " end\n");
        text.append("  --help\n        Print this and exit\n");
        text.append("  --version\n        Print the version and exit\n");
        return text.toString();
    }
}
