package io.holdfast.cli.serve;

import io.holdfast.server.ConfigException;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;

/**
 * One setting of the server, as both front doors know it. This table is the only place that knows
 * names, defaults and ranges.
 */
enum Setting {
    LISTEN(
            "listen",
            Type.TEXT,
            Least.NONE,
            null,
            "dflockd://127.0.0.1:6388,lockd://127.0.0.1:9999,http://127.0.0.1:6389",
            List.of(),
            "Where to listen, as dflockd://HOST:PORT, lockd://HOST:PORT, lockd+unix://PATH,"
                    + " lockd+ws://HOST:PORT, socketlock://PATH or http://HOST:PORT, with TLS"
                    + " dflockds://, lockds://, lockd+wss:// or https://; may be repeated"),
    HTTP(
            "http",
            Type.SWITCH,
            Least.NONE,
            null,
            "true",
            List.of(),
            "Serve HTTP; --no-http takes http:// and https:// out of the addresses"),
    HOST(
            "host",
            Type.TEXT,
            Least.NONE,
            "127.0.0.1",
            null,
            List.of("DFLOCKD_HOST"),
            "Address to listen on"),
    PORT(
            "port",
            Type.COUNT,
            Least.NONE,
            "6388",
            null,
            List.of("DFLOCKD_PORT"),
            "Port to listen on; 0 takes a free one"),
    DEFAULT_LEASE_TTL(
            "default-lease-ttl",
            Type.SECONDS,
            Least.ONE,
            "33",
            "33",
            List.of("DFLOCKD_DEFAULT_LEASE_TTL_S"),
            "Lease of a request that names none"),
    LEASE_SWEEP_INTERVAL(
            "lease-sweep-interval",
            Type.SECONDS,
            Least.ONE,
            "1",
            "1",
            List.of("DFLOCKD_LEASE_SWEEP_INTERVAL_S"),
            "Upper bound for passing on an expired lock; it is passed on at once anyway"),
    GC_INTERVAL(
            "gc-interval",
            Type.SECONDS,
            Least.ONE,
            "5",
            "5",
            List.of("DFLOCKD_GC_INTERVAL_S", "DFLOCKD_GC_LOOP_SLEEP"),
            "How often idle names are forgotten"),
    GC_MAX_IDLE(
            "gc-max-idle",
            Type.SECONDS,
            Least.ZERO,
            "60",
            "60",
            List.of("DFLOCKD_GC_MAX_IDLE_S", "DFLOCKD_GC_MAX_UNUSED_TIME"),
            "How long an unused name is remembered"),
    MAX_LOCKS(
            "max-locks",
            Type.COUNT,
            Least.ONE,
            "1024",
            "1000000",
            List.of("DFLOCKD_MAX_LOCKS"),
            "Most lock and semaphore names, idle ones included"),
    LOCKD_MAX_LOCKS(
            "lockd-max-locks",
            Type.COUNT,
            Least.ZERO,
            null,
            "1000000",
            List.of(),
            "Most names that only lockd clients have locked, exclusive and shared"),
    WS_ALLOW_ORIGIN(
            "ws-allow-origin",
            Type.TEXT,
            Least.NONE,
            null,
            "",
            List.of(),
            "Host name of web pages that may use lockd's WebSocket; may be repeated"),
    MAX_CONNECTIONS(
            "max-connections",
            Type.COUNT,
            Least.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_MAX_CONNECTIONS"),
            "Most open connections"),
    MAX_CONNECTIONS_PER_IP(
            "max-connections-per-ip",
            Type.COUNT,
            Least.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_MAX_CONNECTIONS_PER_IP"),
            "Most open connections from one address"),
    MAX_WAITERS(
            "max-waiters",
            Type.COUNT,
            Least.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_MAX_WAITERS"),
            "Most waiters for one name"),
    MAX_KEYS(
            "max-keys",
            Type.COUNT,
            Least.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_MAX_KEYS"),
            "Most counters, values and lists together"),
    MAX_NAMES_PER_CONNECTION(
            "max-names-per-connection",
            Type.COUNT,
            Least.ZERO,
            "0",
            "100000",
            List.of(),
            "Most lock and semaphore names that one connection may have made, and most holds"),
    MAX_WAITERS_PER_CONNECTION(
            "max-waiters-per-connection",
            Type.COUNT,
            Least.ZERO,
            "0",
            "100000",
            List.of(),
            "Most requests of one connection that may wait"),
    MAX_KEYS_PER_CONNECTION(
            "max-keys-per-connection",
            Type.COUNT,
            Least.ZERO,
            "0",
            "100000",
            List.of(),
            "Most counters, values and lists that one connection may have made"),
    MAX_LIST_LENGTH(
            "max-list-length",
            Type.COUNT,
            Least.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_MAX_LIST_LENGTH"),
            "Most items in one list"),
    MAX_SUBSCRIPTIONS(
            "max-subscriptions",
            Type.COUNT,
            Least.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_MAX_SUBSCRIPTIONS"),
            "Most patterns one connection may listen to"),
    MAX_PUSH_BYTES(
            "max-push-bytes",
            Type.COUNT,
            Least.ZERO,
            "1048576",
            "1048576",
            List.of("DFLOCKD_MAX_PUSH_BYTES"),
            "Bytes of signals a listener may leave unread; 64 signals in any case"),
    READ_TIMEOUT(
            "read-timeout",
            Type.SECONDS,
            Least.ONE,
            "23",
            "23",
            List.of("DFLOCKD_READ_TIMEOUT_S"),
            "How long a client may take for a line; does not run while it waits for a lock"),
    WRITE_TIMEOUT(
            "write-timeout",
            Type.SECONDS,
            Least.ZERO,
            "5",
            "5",
            List.of("DFLOCKD_WRITE_TIMEOUT_S"),
            "How long a client may take to accept an answer; 0 is no limit"),
    SHUTDOWN_TIMEOUT(
            "shutdown-timeout",
            Type.SECONDS,
            Least.ZERO,
            "30",
            "30",
            List.of("DFLOCKD_SHUTDOWN_TIMEOUT_S"),
            "How long holders may finish at shutdown; 0 waits for ever"),
    MAX_SESSION_GRACE(
            "max-session-grace",
            Type.SECONDS,
            Least.ZERO,
            "60",
            "60",
            List.of(),
            "How long a session in tagged mode may outlive its connection; 0: not at all"),
    STATE_DIR(
            "state-dir",
            Type.TEXT,
            Least.NONE,
            null,
            "",
            List.of(),
            "Folder for run files, which protect locks when the server is restarted after a crash;"
                    + " unset, $STATE_DIRECTORY (systemd), $XDG_STATE_HOME/holdfast or"
                    + " ~/.local/state/holdfast"),
    RESTART_QUARANTINE(
            "restart-quarantine",
            Type.SECONDS,
            Least.ZERO,
            null,
            "3600",
            List.of(),
            "Longest time after a crash in which nothing is granted, while clients may still rely"
                    + " on locks from before; 0 switches it off"),
    TLS_CERT(
            "tls-cert",
            Type.TEXT,
            Least.NONE,
            "",
            "",
            List.of("DFLOCKD_TLS_CERT"),
            "PEM file with the TLS certificate"),
    TLS_KEY(
            "tls-key",
            Type.TEXT,
            Least.NONE,
            "",
            "",
            List.of("DFLOCKD_TLS_KEY"),
            "PEM file with the private key of the certificate"),
    AUTH_TOKEN(
            "auth-token",
            Type.TEXT,
            Least.NONE,
            "",
            "",
            List.of("DFLOCKD_AUTH_TOKEN"),
            "Secret that clients must send first"),
    AUTH_TOKEN_FILE(
            "auth-token-file",
            Type.TEXT,
            Least.NONE,
            "",
            "",
            List.of("DFLOCKD_AUTH_TOKEN_FILE"),
            "File with that secret"),
    AUTO_RELEASE_ON_DISCONNECT(
            "auto-release-on-disconnect",
            Type.SWITCH,
            Least.NONE,
            "true",
            "true",
            List.of("DFLOCKD_AUTO_RELEASE_ON_DISCONNECT"),
            "Release what a client holds when its connection ends"),
    FENCE_STATE_FILE(
            "fence-state-file",
            Type.TEXT,
            Least.NONE,
            "",
            "",
            List.of("DFLOCKD_FENCE_STATE_FILE"),
            "File that keeps fences growing across restarts"),
    HTTP_PORT(
            "http-port",
            Type.COUNT,
            Least.NONE,
            "0",
            null,
            List.of("DFLOCKD_HTTP_PORT"),
            "Port for HTTP; 0 is none"),
    HTTP_HOST(
            "http-host",
            Type.TEXT,
            Least.NONE,
            "",
            null,
            List.of("DFLOCKD_HTTP_HOST"),
            "Address for HTTP; unset, that of --host"),
    HTTP_SESSION_IDLE_TIMEOUT(
            "http-session-idle-timeout",
            Type.SECONDS,
            Least.ZERO,
            "20",
            "20",
            List.of("DFLOCKD_HTTP_SESSION_IDLE_S"),
            "An HTTP session ends when it was unused for twice as long; 0: it does not"),
    HTTP_MAX_SESSIONS(
            "http-max-sessions",
            Type.COUNT,
            Least.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_HTTP_MAX_SESSIONS"),
            "Most HTTP sessions"),
    HTTP_MAX_SESSIONS_PER_IP(
            "http-max-sessions-per-ip",
            Type.COUNT,
            Least.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_HTTP_MAX_SESSIONS_PER_IP"),
            "Most HTTP sessions from one address"),
    HTTP_MAX_CONNECTIONS_PER_IP(
            "http-max-connections-per-ip",
            Type.COUNT,
            Least.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_HTTP_MAX_CONNECTIONS_PER_IP"),
            "Most open HTTP connections from one address"),
    HTTP_RATE_LIMIT_PER_IP(
            "http-rate-limit-per-ip",
            Type.COUNT,
            Least.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_HTTP_RATE_LIMIT_PER_IP"),
            "Most HTTP requests a second from one address"),
    HTTP_RATE_LIMIT_BURST(
            "http-rate-limit-burst",
            Type.COUNT,
            Least.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_HTTP_RATE_LIMIT_BURST"),
            "Most of them at once; 0 is as many as the rate"),
    HTTP_SSE_PING_INTERVAL(
            "http-sse-ping-interval",
            Type.SECONDS,
            Least.ONE,
            "15",
            "15",
            List.of("DFLOCKD_HTTP_SSE_PING_S"),
            "How often a silent event stream gets a comment; less than the idle timeout"),
    HTTP_CORS_ALLOWED_ORIGINS(
            "http-cors-allowed-origins",
            Type.TEXT,
            Least.NONE,
            "",
            "",
            List.of("DFLOCKD_HTTP_CORS_ALLOWED_ORIGINS"),
            "Origins of web pages that may use HTTP, with commas between; * is any"),
    HTTP_ALLOWED_HOSTS(
            "http-allowed-hosts",
            Type.TEXT,
            Least.NONE,
            "",
            "",
            List.of("DFLOCKD_HTTP_ALLOWED_HOSTS"),
            "Names that HTTP clients may call the server by, with commas between"),
    HTTP_ADMIN(
            "http-admin",
            Type.SWITCH,
            Least.NONE,
            "false",
            "false",
            List.of("DFLOCKD_HTTP_ADMIN"),
            "Let anybody release and kick over HTTP where no auth token is set"),
    HTTP_READ_TOKEN(
            "http-read-token",
            Type.TEXT,
            Least.NONE,
            "",
            "",
            List.of("DFLOCKD_HTTP_READ_TOKEN"),
            "Second secret, with which HTTP clients may look but change nothing"),
    HTTP_READ_TOKEN_FILE(
            "http-read-token-file",
            Type.TEXT,
            Least.NONE,
            "",
            "",
            List.of("DFLOCKD_HTTP_READ_TOKEN_FILE"),
            "File with that second secret"),
    TRANSPORT(
            "transport",
            Type.TEXT,
            Least.NONE,
            "auto",
            "auto",
            List.of(),
            "auto, io_uring, epoll, kqueue or nio"),
    EVENT_LOOPS(
            "event-loops",
            Type.COUNT,
            Least.ZERO,
            "0",
            "0",
            List.of(),
            "Threads that serve connections; 0 is one for each two processors"),
    CLUSTER(
            "cluster",
            Type.TEXT,
            Least.NONE,
            null,
            "",
            List.of(),
            "All nodes of the cluster, as NAME=HOST:PORT with commas between, the same on each"),
    NODE("node", Type.TEXT, Least.NONE, null, "", List.of(), "Which of the nodes this one is"),
    DATA_DIR(
            "data-dir",
            Type.TEXT,
            Least.NONE,
            null,
            "",
            List.of(),
            "Folder for what must outlive the process; without --cluster, of a server that stands"
                    + " alone"),
    CLUSTER_NAME(
            "cluster-name",
            Type.TEXT,
            Least.NONE,
            null,
            "holdfast",
            List.of(),
            "Name of the cluster: nodes of another are not talked to"),
    CLUSTER_WAIT(
            "cluster-wait",
            Type.SECONDS,
            Least.ONE,
            null,
            "5",
            List.of(),
            "How long a request that names no time itself waits for the cluster to decide"),
    SESSION_TIMEOUT(
            "session-timeout",
            Type.SECONDS,
            Least.ONE,
            null,
            "10",
            List.of(),
            "How long the sessions of a node's clients outlive the node"),
    JOIN(
            "join",
            Type.SWITCH,
            Least.NONE,
            null,
            "false",
            List.of(),
            "Wait to be added to a cluster that runs already"),
    CLUSTER_TLS_CERT(
            "cluster-tls-cert",
            Type.TEXT,
            Least.NONE,
            null,
            "",
            List.of(),
            "PEM file with the certificate that this node shows the others"),
    CLUSTER_TLS_KEY(
            "cluster-tls-key",
            Type.TEXT,
            Least.NONE,
            null,
            "",
            List.of(),
            "PEM file with the private key of that certificate"),
    CLUSTER_TLS_CA(
            "cluster-tls-ca",
            Type.TEXT,
            Least.NONE,
            null,
            "",
            List.of(),
            "PEM file with the authority that has signed the certificates of all nodes"),
    DEBUG("debug", Type.SWITCH, Least.NONE, "false", "false", List.of("DFLOCKD_DEBUG"), "Log more");

    /** How a value is written. */
    enum Type {
        TEXT,
        COUNT,
        SECONDS,
        SWITCH
    }

    private enum Least {
        NONE,
        ZERO,
        ONE
    }

    /** The longest span, in seconds, that fits nanoseconds. */
    private static final long MAX_SECONDS = 9223372036L;

    private static final long MAX_EVENT_LOOPS = 1024;

    final String flag;
    final Type type;
    private final Least least;

    /** Null where {@code dflockd} does not have the setting. */
    final @Nullable String dflockdDefault;

    /** Null where {@code serve} does not have the setting. */
    final @Nullable String serveDefault;

    /** The variables of {@code dflockd}; the first one that is set counts. */
    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    final List<String> dflockdVariables;

    final String help;

    Setting(
            String flag,
            Type type,
            Least least,
            @Nullable String dflockdDefault,
            @Nullable String serveDefault,
            List<String> dflockdVariables,
            String help) {
        this.flag = flag;
        this.type = type;
        this.least = least;
        this.dflockdDefault = dflockdDefault;
        this.serveDefault = serveDefault;
        this.dflockdVariables = dflockdVariables;
        this.help = help;
    }

    /** The variable of {@code serve}. */
    String holdfastVariable() {
        if (this == CLUSTER) {
            return "HOLDFAST_CLUSTER_NODES"; // each has variables that begin with the shorter name
        }
        if (this == HTTP) {
            return "HOLDFAST_SERVE_HTTP"; // HOLDFAST_HTTP says where clients find it
        }
        return "HOLDFAST_" + flag.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** Whether the text can be read as a value of this type; its range is another matter. */
    boolean reads(String text) {
        return switch (type) {
            case TEXT -> true;
            case COUNT, SECONDS -> FlagNumbers.parse(text).isPresent();
            case SWITCH -> FlagBooleans.parse(text).isPresent();
        };
    }

    /**
     * The number that a readable text stands for, if it is in range.
     *
     * @param zeroIsNoLimit whether 0 locks mean as many as memory allows, and are no mistake
     */
    long number(String text, boolean zeroIsNoLimit) {
        long value = FlagNumbers.parse(text).orElseThrow();
        if (this == MAX_LOCKS && zeroIsNoLimit && value == 0) {
            return value;
        }
        String unit = type == Type.SECONDS ? "s" : "";
        switch (least) {
            case ONE -> {
                if (value < 1) {
                    if (this == MAX_LOCKS && zeroIsNoLimit) {
                        throw new ConfigException("--max-locks must be >= 0 (got " + value + ")");
                    }
                    String got = type == Type.SECONDS ? "" : " (got " + value + ")";
                    throw new ConfigException("--" + flag + " must be > 0" + got);
                }
            }
            case ZERO -> {
                if (value < 0) {
                    throw new ConfigException(
                            "--" + flag + " must be >= 0 (got " + value + unit + ")");
                }
            }
            case NONE -> {}
        }
        if (type == Type.SECONDS && value > MAX_SECONDS) {
            throw new ConfigException(
                    "--" + flag + " must be <= " + MAX_SECONDS + " (got " + value + unit + ")");
        }
        if (this == EVENT_LOOPS && value > MAX_EVENT_LOOPS) {
            throw new ConfigException(
                    "--event-loops must be <= " + MAX_EVENT_LOOPS + " (got " + value + ")");
        }
        if ((this == PORT || this == HTTP_PORT) && (value < 0 || value > 65535)) {
            throw new ConfigException("--" + flag + " must be 0-65535 (got " + value + ")");
        }
        return value;
    }
}
