package io.holdfast.cli.serve;

import io.holdfast.console.options.FileNames;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.Namespace;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.ListenScheme;
import io.holdfast.server.lockd.LockdOptions;
import io.holdfast.server.lockd.LockdProtocol;

import org.jspecify.annotations.Nullable;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * {@code holdfast lockd}: lockd's options, and glockd's spellings of them. The defaults are those
 * of lockd.
 */
public final class LockdCommand {
    /** The settings of {@code serve} that this command accepts, with their defaults. */
    private static final Map<Setting, String> SETTINGS = settings();

    private static final List<String> SWITCHES =
            List.of(
                    "allow-dump",
                    "dump",
                    "enable-registry",
                    "registry",
                    "disable-dump",
                    "disable-registry",
                    "verbose",
                    "help",
                    "h",
                    "version");

    private static final List<String> VALUES =
            List.of("tcp", "t", "port", "unix", "unix-mode", "ws", "pid-file", "pidfile", "p");

    private static final String USAGE =
            """
            Usage: holdfast lockd [options]

            Serves lockd and glockd clients. Listens on TCP 127.0.0.1:9999 unless other addresses are
            given with --tcp, --unix or --ws, which may be repeated. A port without a host listens on
            the loopback address only, because the protocol has no authentication.

              --tcp, -t [HOST:]PORT
                    Listen on TCP; port 0 chooses a free port
              --unix PATH
                    Listen on a Unix socket
              --unix-mode MODE
                    Permissions of the Unix socket in octal, such as 0660 (default: by the umask)
              --ws [HOST:]PORT
                    Listen for WebSocket connections; port 0 chooses a free port
              --allow-dump
                    Enable the commands d, sd and dump; with --enable-registry also who
              --enable-registry
                    Enable the command iam; with --allow-dump also who
              --pid-file, -p PATH
                    Write the process id to this file; it is removed at exit
              --verbose
                    Log client operations to standard output
              --help, -h
                    Print this and exit
              --version
                    Print the version and exit
            """;

    private static final String GLOCKD_USAGE =
            """

            glockd's spellings: -port N and -ws N (0 is off), -unix PATH, -pidfile PATH, -dump and
            -registry (with =true or =false), -verbose. lockd's --disable-dump and
            --disable-registry are accepted; they are the default.
            """;

    private final List<ListenAddress> tcp = new ArrayList<>();
    private final List<ListenAddress> webSockets = new ArrayList<>();
    private final List<Path> unix = new ArrayList<>();
    private final Map<Setting, String> given = new EnumMap<>(Setting.class);
    private @Nullable ListenAddress glockdTcp;
    private @Nullable ListenAddress glockdWebSocket;
    private boolean defaultTcp = true;
    private boolean allowDump;
    private boolean enableRegistry;
    private boolean verbose;
    private @Nullable Set<PosixFilePermission> unixMode;
    private @Nullable String pidFile;

    private LockdCommand() {}

    private static Map<Setting, String> settings() {
        Map<Setting, String> all = new EnumMap<>(Setting.class);
        List<Setting> shared =
                List.of(
                        Setting.LOCKD_MAX_LOCKS,
                        Setting.WS_ALLOW_ORIGIN,
                        Setting.MAX_CONNECTIONS,
                        Setting.MAX_CONNECTIONS_PER_IP,
                        Setting.READ_TIMEOUT,
                        Setting.WRITE_TIMEOUT,
                        Setting.TRANSPORT,
                        Setting.EVENT_LOOPS,
                        Setting.DEBUG);
        shared.forEach(setting -> all.put(setting, String.valueOf(setting.serveDefault)));
        all.put(Setting.SHUTDOWN_TIMEOUT, "5"); // locks of lockd have no lease that would end
        return all;
    }

    /**
     * Returns the exit status.
     *
     * @param version the output of {@code --version}
     */
    public static int run(List<String> args, String version) {
        LockdCommand command = new LockdCommand();
        try {
            GoFlags.Given given = GoFlags.parseAll(args, LockdCommand::isSwitch);
            for (GoFlags.Flag flag : given.flags()) {
                switch (flag.name()) {
                    case "help", "h" -> {
                        System.out.print(usage());
                        return 0;
                    }
                    case "version" -> {
                        System.out.println(version);
                        return 0;
                    }
                    default -> command.set(flag);
                }
            }
            if (!given.rest().isEmpty()) {
                throw new GoFlags.FlagException("not an option: " + given.rest().getFirst());
            }
            return command.serve();
        } catch (GoFlags.FlagException e) {
            return ServerRun.configurationError(
                    new GoFlags.FlagException(e.getMessage() + " (see --help)"));
        } catch (ConfigException e) {
            return ServerRun.configurationError(e);
        }
    }

    private static @Nullable Boolean isSwitch(String name) {
        if (SWITCHES.contains(name)) {
            return true;
        }
        if (VALUES.contains(name)) {
            return false;
        }
        Setting setting = setting(name);
        return setting == null ? null : setting.type == SettingType.SWITCH;
    }

    private static @Nullable Setting setting(String name) {
        return SETTINGS.keySet().stream()
                .filter(setting -> setting.flag.equals(name))
                .findFirst()
                .orElse(null);
    }

    private void set(GoFlags.Flag flag) {
        String value = flag.value();
        switch (flag.name()) {
            case "tcp", "t" -> tcp.add(address("--tcp", value));
            case "port" -> {
                defaultTcp = !isZero(value);
                glockdTcp = isZero(value) ? null : address("-port", value);
            }
            case "ws" -> {
                if (flag.single()) {
                    glockdWebSocket = isZero(value) ? null : address("-ws", value);
                } else {
                    webSockets.add(address("--ws", value));
                }
            }
            case "unix" -> {
                if (!flag.single() || !value.isEmpty()) {
                    unix.add(path("--unix", value));
                }
            }
            case "unix-mode" -> unixMode = FileModeParser.parse("--unix-mode", value);
            case "allow-dump", "dump" -> allowDump = isOn(flag);
            case "disable-dump" -> allowDump = !isOn(flag);
            case "enable-registry", "registry" -> enableRegistry = isOn(flag);
            case "disable-registry" -> enableRegistry = !isOn(flag);
            case "verbose" -> verbose = isOn(flag);
            case "pid-file", "pidfile", "p" -> pidFile = value;
            default -> setShared(flag);
        }
    }

    private void setShared(GoFlags.Flag flag) {
        Setting setting = setting(flag.name());
        if (setting == null) {
            throw new IllegalStateException("no such option: " + flag.name());
        }
        String value = flag.value();
        if (!setting.reads(value)) {
            throw new ConfigException("--" + flag.name() + " cannot be " + value);
        }
        if (setting.repeatedLabel == null) {
            given.put(setting, value);
        } else {
            given.merge(setting, value, (before, more) -> before + "," + more);
        }
    }

    private static boolean isZero(String value) {
        return value.matches("0+");
    }

    private static boolean isOn(GoFlags.Flag flag) {
        return FlagBooleans.parseGoFlag(flag.value())
                .orElseThrow(
                        () ->
                                new ConfigException(
                                        "--"
                                                + flag.name()
                                                + " must be true or false (got "
                                                + flag.value()
                                                + ")"));
    }

    private static Path path(String option, String value) {
        if (value.isEmpty()) {
            throw new ConfigException(option + " needs a path");
        }
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw new ConfigException(option + ": " + FileNames.refused(value));
        }
    }

    /** Parses {@code [HOST:]PORT}. */
    static ListenAddress address(String option, String value) {
        int colon = value.lastIndexOf(':');
        String host = colon < 0 ? "127.0.0.1" : value.substring(0, colon);
        String port = value.substring(colon + 1);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            host = ""; // an IPv6 address without brackets is rejected below
        }
        if (host.isEmpty() || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65535) {
            throw new ConfigException(
                    option
                            + " must be [HOST:]PORT, as in 9999, 0.0.0.0:9999 or [::1]:9999 (got "
                            + value
                            + ")");
        }
        return new ListenAddress.Tcp(host, Integer.parseInt(port));
    }

    private int serve() {
        return ServerRun.run(
                plan(verbose ? ConsoleEventLog.start(System.out) : null), "--tcp or --ws", pidFile);
    }

    /** For tests: returns the configuration of these arguments. */
    static ServerConfig config(String... args) throws GoFlags.FlagException {
        LockdCommand command = new LockdCommand();
        GoFlags.parseAll(Arrays.asList(args), LockdCommand::isSwitch).flags().forEach(command::set);
        return command.plan(null).server();
    }

    private ServerPlan plan(@Nullable Consumer<String> events) {
        List<ListenEndpoint> listeners = new ArrayList<>();
        for (ListenAddress listenAddress : with(tcp, glockdTcp)) {
            listeners.add(endpoint(LockdProtocol.TCP, listenAddress));
        }
        for (Path path : unix) {
            listeners.add(endpoint(LockdProtocol.UNIX, new ListenAddress.Unix(path, unixMode)));
        }
        for (ListenAddress listenAddress : with(webSockets, glockdWebSocket)) {
            listeners.add(endpoint(LockdProtocol.WEB_SOCKET, listenAddress));
        }
        if (unixMode != null && unix.isEmpty()) {
            throw new ConfigException("--unix-mode requires --unix");
        }
        if (listeners.isEmpty()) {
            if (!defaultTcp) {
                throw new ConfigException("no address to listen on: give --tcp, --unix or --ws");
            }
            listeners.add(endpoint(LockdProtocol.TCP, LockdProtocol.TCP.example()));
        }
        ServerPlan.Builder plan =
                new SettingValues(SETTINGS.keySet(), SETTINGS::get, List.of(given::get)).toPlan();
        plan.limits().unlimitedClients(); // lockd has no such limits
        plan.server().listeners(listeners).events(events);
        return plan.build();
    }

    private static List<ListenAddress> with(
            List<ListenAddress> some, @Nullable ListenAddress another) {
        List<ListenAddress> all = new ArrayList<>(some);
        if (another != null) {
            all.add(another);
        }
        return all;
    }

    private ListenEndpoint endpoint(ListenScheme scheme, ListenAddress listenAddress) {
        return new ListenEndpoint(
                scheme,
                listenAddress,
                new LockdOptions(Namespace.DEFAULT, allowDump, enableRegistry));
    }

    static String usage() {
        StringBuilder text = new StringBuilder(USAGE);
        SETTINGS.forEach((setting, value) -> text.append(setting.usage(value)).append('\n'));
        return text.append(GLOCKD_USAGE).toString();
    }
}
