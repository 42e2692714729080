package io.holdfast.cli.serve;

import io.holdfast.cli.logging.LineLogger;
import io.holdfast.console.options.FileNames;
import io.holdfast.driver.config.ConfigException;
import io.holdfast.engine.Namespace;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.server.ServerConfig;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.StartException;
import io.holdfast.server.socketlock.SocketlockOptions;
import io.holdfast.server.socketlock.SocketlockProtocol;
import io.holdfast.server.socketlock.SocketlockTimeouts;

import org.jspecify.annotations.Nullable;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** {@code holdfast socketlockd}: socketlockd's flags, messages and exit statuses. */
public final class SocketlockdCommand {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy/MM/dd HH:mm:ss");

    private static final String SOCKET = "socket";
    private static final String POLICY = "policy";
    private static final String REQUEST_TIMEOUT = "request-timeout";
    private static final String CONFIRM_TIMEOUT = "confirm-timeout";
    private static final String MAX_TTL = "max-ttl";

    /** The flags of the original, with their defaults. */
    private static final Map<String, String> DEFAULTS =
            Map.of(
                    SOCKET, "",
                    POLICY, "fifo",
                    REQUEST_TIMEOUT, "30s",
                    CONFIRM_TIMEOUT, "30s",
                    MAX_TTL, "0");

    /** Holdfast's own flags, shared with {@code serve}. */
    private static final List<Setting> SHARED =
            List.of(Setting.MAX_CONNECTIONS, Setting.TRANSPORT, Setting.EVENT_LOOPS, Setting.DEBUG);

    private static final String USAGE =
            """
            Usage: holdfast socketlockd -socket PATH [options]

            Serves socketlock clients on a Unix socket, and logs events to standard error.
            Durations are written as 700ms, 2s or 1m30s. Flags may have one dash or two.

              --socket PATH
                    Where to listen (required)
              --policy POLICY
                    Which waiter is next: fifo, reader or writer (default fifo)
              --request-timeout DURATION
                    How long a request may wait for the lock (default 30s)
              --confirm-timeout DURATION
                    How long an offered lock may stay unconfirmed (default 30s)
              --max-ttl DURATION
                    Maximum TTL of a lock; 0 = unlimited (default 0)
              --max-connections N, --transport TEXT, --event-loops N, --debug
                    As for holdfast serve
              --help, -h
                    Print this and exit
              --version
                    Print the version and exit
            """;

    private SocketlockdCommand() {}

    /**
     * Returns the exit status.
     *
     * @param version the output of {@code --version}
     */
    public static int run(List<String> args, String version) {
        Map<String, String> given;
        try {
            given = GoFlags.parse(args, SocketlockdCommand::isSwitch);
            checkDurations(given);
        } catch (GoFlags.FlagException e) {
            System.err.println(e.getMessage());
            System.err.print(USAGE);
            return 2;
        }
        if (given.containsKey("help") || given.containsKey("h")) {
            System.out.print(USAGE);
            return 0;
        }
        if (given.containsKey("version")) {
            System.out.println(version);
            return 0;
        }
        try {
            ServerPlan plan = plan(given, events(ConsoleEventLog.start(System.err)));
            LineLogger.setQuiet(true);
            return ServerRun.runQuietly(plan, e -> System.err.println(startFailure(e)));
        } catch (ConfigException e) {
            System.err.println(e.getMessage());
            return 1;
        } finally {
            LineLogger.setQuiet(false);
        }
    }

    /** As in the original, without the address if another server is running there. */
    private static String startFailure(StartException e) {
        String text = String.valueOf(e.getMessage());
        return "start server: "
                + (text.endsWith(SocketlockProtocol.ALREADY_RUNNING)
                        ? SocketlockProtocol.ALREADY_RUNNING
                        : text);
    }

    private static @Nullable Boolean isSwitch(String name) {
        if (DEFAULTS.containsKey(name)) {
            return false;
        }
        if (List.of("help", "h", "version").contains(name)) {
            return true;
        }
        for (Setting setting : SHARED) {
            if (setting.flag.equals(name)) {
                return setting.type == SettingType.SWITCH;
            }
        }
        return null;
    }

    private static void checkDurations(Map<String, String> given) throws GoFlags.FlagException {
        for (String flag : List.of(REQUEST_TIMEOUT, CONFIRM_TIMEOUT, MAX_TTL)) {
            String value = given.get(flag);
            if (value != null && GoDurations.parse(value).isEmpty()) {
                throw new GoFlags.FlagException(
                        "invalid value \"" + value + "\" for flag -" + flag + ": parse error");
            }
        }
    }

    /** The current time as text, formatted once per second. */
    private record Stamp(long second, String text) {
        static Stamp now(Stamp last) {
            long second = System.currentTimeMillis() / 1000;
            return second == last.second
                    ? last
                    : new Stamp(second, TIME.format(LocalDateTime.now(ZoneId.systemDefault())));
        }
    }

    private static Consumer<String> events(ConsoleEventLog log) {
        AtomicReference<Stamp> stamp = new AtomicReference<>(new Stamp(0, ""));
        return event -> log.accept(stamp.updateAndGet(Stamp::now).text() + " " + event);
    }

    /** For tests: returns the configuration of these arguments. */
    static ServerConfig config(List<String> args) throws GoFlags.FlagException {
        Map<String, String> given = GoFlags.parse(args, SocketlockdCommand::isSwitch);
        checkDurations(given);
        return plan(given, null).server();
    }

    private static ServerPlan plan(Map<String, String> flags, @Nullable Consumer<String> events) {
        Map<String, String> given = new HashMap<>(DEFAULTS);
        given.putAll(flags);
        String path = given.getOrDefault(SOCKET, "");
        if (path.isBlank()) {
            throw new ConfigException("socket path is required");
        }
        QueuePolicy queuePolicy =
                SocketlockOptions.policy(given.getOrDefault(POLICY, ""))
                        .orElseThrow(
                                () ->
                                        new ConfigException(
                                                "invalid policy: expected fifo, reader, or"
                                                        + " writer"));
        ListenEndpoint listenEndpoint =
                new ListenEndpoint(
                        SocketlockProtocol.UNIX,
                        new ListenAddress.Unix(path(path), null),
                        new SocketlockOptions(
                                Namespace.DEFAULT,
                                null,
                                queuePolicy,
                                SocketlockTimeouts.of(
                                        duration(given, REQUEST_TIMEOUT),
                                        duration(given, CONFIRM_TIMEOUT),
                                        duration(given, MAX_TTL))));
        for (Setting setting : SHARED) {
            String value = given.get(setting.flag);
            if (value != null && !setting.reads(value)) {
                throw new ConfigException("-" + setting.flag + " cannot be " + value);
            }
        }
        ServerPlan.Builder plan =
                new SettingValues(
                                SHARED,
                                setting -> setting.serveDefault,
                                List.of(setting -> given.get(setting.flag)))
                        .toPlan();
        plan.limits().unlimitedClients(); // socketlockd has no such limits
        plan.server().listeners(listenEndpoint).events(events);
        return plan.build();
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new ConfigException("start server: " + FileNames.refused(text));
        }
    }

    private static Duration duration(Map<String, String> given, String flag) {
        return GoDurations.parse(given.getOrDefault(flag, "")).orElse(Duration.ZERO);
    }
}
