package io.holdfast.cli.serve;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.Namespace;
import io.holdfast.http.HttpAddress;
import io.holdfast.server.dflockd.DflockdProtocol;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

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
            return ServerRun.run(plan(flags, environment), "--port or --http-port", null);
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
                .map(s -> s.type == SettingType.SWITCH)
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
        SettingValues values =
                new SettingValues(
                        SETTINGS,
                        setting -> setting.dflockdDefault,
                        List.of(
                                setting -> variable(setting, environment),
                                setting -> flag(setting, flags)));
        if (values.number(Setting.MAX_LOCKS) < 1) { // the original has no unlimited number of them
            throw new ConfigException(
                    "--max-locks must be > 0 (got " + values.text(Setting.MAX_LOCKS) + ")");
        }
        boolean tls = values.isSet(Setting.TLS_CERT) || values.isSet(Setting.TLS_KEY);
        String host = values.text(Setting.HOST);
        int port = port(values, Setting.PORT);
        int httpPort = port(values, Setting.HTTP_PORT);
        ServerPlan.Builder plan = values.toPlan().secrets(() -> ServerSecrets.of(values));
        plan.server().listeners(DflockdProtocol.endpoint(host, port, tls));
        if (httpPort != 0) {
            if (httpPort == port) {
                throw new ConfigException(
                        "--http-port must not be that of --port (got " + port + ")");
            }
            String httpHost =
                    values.isSet(Setting.HTTP_HOST) ? values.text(Setting.HTTP_HOST) : host;
            plan.http()
                    .addresses(
                            List.of(new HttpAddress(httpHost, httpPort, tls, Namespace.DEFAULT)));
        }
        return plan.build();
    }

    private static int port(SettingValues values, Setting setting) {
        long port = values.number(setting);
        if (port < 0 || port > 65535) {
            throw new ConfigException("--" + setting.flag + " must be 0-65535 (got " + port + ")");
        }
        return (int) port;
    }

    private static @Nullable String variable(Setting setting, Map<String, String> environment) {
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
        return null;
    }

    /** A flag that repeats the default counts as unset, as an empty token does. */
    private static @Nullable String flag(Setting setting, Map<String, String> flags) {
        if (setting == Setting.AUTO_RELEASE_ON_DISCONNECT && flags.containsKey(NO_AUTO_RELEASE)) {
            boolean no =
                    FlagBooleans.parseGoFlag(flags.getOrDefault(NO_AUTO_RELEASE, "")).orElse(true);
            return no ? "false" : "true";
        }
        String given = flags.get(setting.flag);
        if (given == null || given.equals(setting.dflockdDefault)) {
            return null;
        }
        return setting.type == SettingType.SWITCH
                ? String.valueOf(FlagBooleans.parseGoFlag(given).orElseThrow())
                : given;
    }

    static String usage() {
        StringBuilder text = new StringBuilder();
        text.append("Usage: holdfast dflockd [flags]\n\n");
        text.append("Serves the dflockd protocol with dflockd's flags, variables and defaults.\n");
        text.append("A variable overrides its flag. Times are in whole seconds.\n\n");
        for (Setting setting : SETTINGS) {
            text.append(setting.usage(String.valueOf(setting.dflockdDefault)));
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
