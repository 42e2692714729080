package io.holdfast.cli.serve;

import io.holdfast.server.ConfigException;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;

/**
 * One setting of the server, for {@code serve} and {@code dflockd}. This table is the only place
 * with names, defaults and ranges.
 */
enum Setting {
    LISTEN(
            "listen",
            Type.TEXT,
            Minimum.NONE,
            null,
            "dflockd://127.0.0.1:6388,lockd://127.0.0.1:9999,http://127.0.0.1:6389",
            List.of(),
            "Where to listen, as dflockd://HOST:PORT, lockd://HOST:PORT, lockd+unix://PATH,"
                    + " lockd+ws://HOST:PORT, socketlock://PATH or http://HOST:PORT, with TLS"
                    + " dflockds://, lockds://, lockd+wss:// or https://; may be repeated"),
    HTTP(
            "http",
            Type.SWITCH,
            Minimum.NONE,
            null,
            "true",
            List.of(),
            "Serve HTTP; with --no-http, http:// and https:// addresses are ignored"),
    HOST(
            "host",
            Type.TEXT,
            Minimum.NONE,
            "127.0.0.1",
            null,
            List.of("DFLOCKD_HOST"),
            "Address to listen on"),
    PORT(
            "port",
            Type.COUNT,
            Minimum.NONE,
            "6388",
            null,
            List.of("DFLOCKD_PORT"),
            "Port to listen on; 0 chooses a free port"),
    DEFAULT_LEASE_TTL(
            "default-lease-ttl",
            Type.SECONDS,
            Minimum.ONE,
            "33",
            "33",
            List.of("DFLOCKD_DEFAULT_LEASE_TTL_S"),
            "Lease of requests that specify none"),
    LEASE_SWEEP_INTERVAL(
            "lease-sweep-interval",
            Type.SECONDS,
            Minimum.ONE,
            "1",
            "1",
            List.of("DFLOCKD_LEASE_SWEEP_INTERVAL_S"),
            "No effect, accepted for compatibility: expired locks are passed on at once"),
    GC_INTERVAL(
            "gc-interval",
            Type.SECONDS,
            Minimum.ONE,
            "5",
            "5",
            List.of("DFLOCKD_GC_INTERVAL_S", "DFLOCKD_GC_LOOP_SLEEP"),
            "How often idle keys are collected"),
    GC_MAX_IDLE(
            "gc-max-idle",
            Type.SECONDS,
            Minimum.ZERO,
            "60",
            "60",
            List.of("DFLOCKD_GC_MAX_IDLE_S", "DFLOCKD_GC_MAX_UNUSED_TIME"),
            "How long an idle key is retained before it is collected"),
    MAX_LOCKS(
            "max-locks",
            Type.COUNT,
            Minimum.ONE,
            "1024",
            "1000000",
            List.of("DFLOCKD_MAX_LOCKS"),
            "Maximum number of lock and semaphore keys, even idle; serve: 0 = unlimited"),
    LOCKD_MAX_LOCKS(
            "lockd-max-locks",
            Type.COUNT,
            Minimum.ZERO,
            null,
            "1000000",
            List.of(),
            "Maximum number of keys locked by lockd clients only; 0 = unlimited"),
    WS_ALLOW_ORIGIN(
            "ws-allow-origin",
            Type.TEXT,
            Minimum.NONE,
            null,
            "",
            List.of(),
            "Host name of web pages that may connect to lockd's WebSocket; may be repeated"),
    MAX_CONNECTIONS(
            "max-connections",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_MAX_CONNECTIONS"),
            "Maximum number of open connections; 0 = unlimited"),
    MAX_CONNECTIONS_PER_IP(
            "max-connections-per-ip",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_MAX_CONNECTIONS_PER_IP"),
            "Maximum number of open connections per client address; 0 = unlimited"),
    MAX_WAITERS(
            "max-waiters",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_MAX_WAITERS"),
            "Maximum number of waiters per key; 0 = unlimited"),
    MAX_KEYS(
            "max-keys",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_MAX_KEYS"),
            "Maximum total number of counters, values and lists; 0 = unlimited"),
    MAX_NAMES_PER_CONNECTION(
            "max-names-per-connection",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "100000",
            List.of(),
            "Maximum lock and semaphore keys, and holds, per connection; 0 = unlimited"),
    MAX_WAITERS_PER_CONNECTION(
            "max-waiters-per-connection",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "100000",
            List.of(),
            "Maximum number of waiting requests per connection; 0 = unlimited"),
    MAX_KEYS_PER_CONNECTION(
            "max-keys-per-connection",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "100000",
            List.of(),
            "Maximum counters, values and lists created by one connection; 0 = unlimited"),
    MAX_LIST_LENGTH(
            "max-list-length",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_MAX_LIST_LENGTH"),
            "Maximum number of items per list; 0 = unlimited"),
    MAX_SUBSCRIPTIONS(
            "max-subscriptions",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_MAX_SUBSCRIPTIONS"),
            "Maximum number of patterns that one connection listens to; 0 = unlimited"),
    MAX_PUSH_BYTES(
            "max-push-bytes",
            Type.COUNT,
            Minimum.ZERO,
            "1048576",
            "1048576",
            List.of("DFLOCKD_MAX_PUSH_BYTES"),
            "Maximum bytes of unread signals per listener; 64 signals always fit"),
    READ_TIMEOUT(
            "read-timeout",
            Type.SECONDS,
            Minimum.ONE,
            "23",
            "23",
            List.of("DFLOCKD_READ_TIMEOUT_S"),
            "Timeout for receiving a line from a client; paused while it waits for a lock"),
    WRITE_TIMEOUT(
            "write-timeout",
            Type.SECONDS,
            Minimum.ZERO,
            "5",
            "5",
            List.of("DFLOCKD_WRITE_TIMEOUT_S"),
            "Timeout for a client to receive a response; 0 = no timeout"),
    SHUTDOWN_TIMEOUT(
            "shutdown-timeout",
            Type.SECONDS,
            Minimum.ZERO,
            "30",
            "30",
            List.of("DFLOCKD_SHUTDOWN_TIMEOUT_S"),
            "How long a shutdown waits for holders to finish; 0 = no timeout"),
    MAX_SESSION_GRACE(
            "max-session-grace",
            Type.SECONDS,
            Minimum.ZERO,
            "60",
            "60",
            List.of(),
            "Maximum time a tagged-mode session outlives its connection; 0 = not at all"),
    STATE_DIR(
            "state-dir",
            Type.TEXT,
            Minimum.NONE,
            null,
            "",
            List.of(),
            "Directory for run files, which protect locks when the server is restarted after a"
                    + " crash; if unset, $STATE_DIRECTORY (systemd), $XDG_STATE_HOME/holdfast or"
                    + " ~/.local/state/holdfast"),
    RESTART_QUARANTINE(
            "restart-quarantine",
            Type.SECONDS,
            Minimum.ZERO,
            null,
            "3600",
            List.of(),
            "Maximum time after a crash during which nothing is granted, because clients may still"
                    + " rely on earlier locks; 0 = off"),
    TLS_CERT(
            "tls-cert",
            Type.TEXT,
            Minimum.NONE,
            "",
            "",
            List.of("DFLOCKD_TLS_CERT"),
            "PEM file with the TLS certificate"),
    TLS_KEY(
            "tls-key",
            Type.TEXT,
            Minimum.NONE,
            "",
            "",
            List.of("DFLOCKD_TLS_KEY"),
            "PEM file with the private key of the certificate"),
    AUTH_TOKEN(
            "auth-token",
            Type.TEXT,
            Minimum.NONE,
            "",
            "",
            List.of("DFLOCKD_AUTH_TOKEN"),
            "Auth token that clients must send first"),
    AUTH_TOKEN_FILE(
            "auth-token-file",
            Type.TEXT,
            Minimum.NONE,
            "",
            "",
            List.of("DFLOCKD_AUTH_TOKEN_FILE"),
            "File with the auth token"),
    AUTO_RELEASE_ON_DISCONNECT(
            "auto-release-on-disconnect",
            Type.SWITCH,
            Minimum.NONE,
            "true",
            "true",
            List.of("DFLOCKD_AUTO_RELEASE_ON_DISCONNECT"),
            "Release a client's holds when its connection ends"),
    FENCE_STATE_FILE(
            "fence-state-file",
            Type.TEXT,
            Minimum.NONE,
            "",
            "",
            List.of("DFLOCKD_FENCE_STATE_FILE"),
            "File that stores the highest fence, so that fences keep growing across restarts"),
    HTTP_PORT(
            "http-port",
            Type.COUNT,
            Minimum.NONE,
            "0",
            null,
            List.of("DFLOCKD_HTTP_PORT"),
            "Port for HTTP; 0 = no HTTP"),
    HTTP_HOST(
            "http-host",
            Type.TEXT,
            Minimum.NONE,
            "",
            null,
            List.of("DFLOCKD_HTTP_HOST"),
            "Address for HTTP; if unset, that of --host"),
    HTTP_SESSION_IDLE_TIMEOUT(
            "http-session-idle-timeout",
            Type.SECONDS,
            Minimum.ZERO,
            "20",
            "20",
            List.of("DFLOCKD_HTTP_SESSION_IDLE_S"),
            "An HTTP session ends when it has been idle for twice this time; 0 = no timeout"),
    HTTP_MAX_SESSIONS(
            "http-max-sessions",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_HTTP_MAX_SESSIONS"),
            "Maximum number of HTTP sessions; 0 = unlimited"),
    HTTP_MAX_SESSIONS_PER_IP(
            "http-max-sessions-per-ip",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_HTTP_MAX_SESSIONS_PER_IP"),
            "Maximum number of HTTP sessions per client address; 0 = unlimited"),
    HTTP_MAX_CONNECTIONS_PER_IP(
            "http-max-connections-per-ip",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_HTTP_MAX_CONNECTIONS_PER_IP"),
            "Maximum number of open HTTP connections per client address; 0 = unlimited"),
    HTTP_RATE_LIMIT_PER_IP(
            "http-rate-limit-per-ip",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_HTTP_RATE_LIMIT_PER_IP"),
            "Maximum number of HTTP requests per second and client address; 0 = unlimited"),
    HTTP_RATE_LIMIT_BURST(
            "http-rate-limit-burst",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "0",
            List.of("DFLOCKD_HTTP_RATE_LIMIT_BURST"),
            "Maximum burst of these requests; 0 = the same as the rate"),
    HTTP_SSE_PING_INTERVAL(
            "http-sse-ping-interval",
            Type.SECONDS,
            Minimum.ONE,
            "15",
            "15",
            List.of("DFLOCKD_HTTP_SSE_PING_S"),
            "Interval of comments on an idle event stream; less than the idle timeout"),
    HTTP_CORS_ALLOWED_ORIGINS(
            "http-cors-allowed-origins",
            Type.TEXT,
            Minimum.NONE,
            "",
            "",
            List.of("DFLOCKD_HTTP_CORS_ALLOWED_ORIGINS"),
            "Origins of web pages that may use the HTTP API, separated by commas; * = any"),
    HTTP_ALLOWED_HOSTS(
            "http-allowed-hosts",
            Type.TEXT,
            Minimum.NONE,
            "",
            "",
            List.of("DFLOCKD_HTTP_ALLOWED_HOSTS"),
            "Host names that are accepted in HTTP requests, separated by commas"),
    HTTP_ADMIN(
            "http-admin",
            Type.SWITCH,
            Minimum.NONE,
            "false",
            "false",
            List.of("DFLOCKD_HTTP_ADMIN"),
            "Without an auth token, allow forced release and disconnect over HTTP"),
    HTTP_READ_TOKEN(
            "http-read-token",
            Type.TEXT,
            Minimum.NONE,
            "",
            "",
            List.of("DFLOCKD_HTTP_READ_TOKEN"),
            "Second token, which gives HTTP clients read access only"),
    HTTP_READ_TOKEN_FILE(
            "http-read-token-file",
            Type.TEXT,
            Minimum.NONE,
            "",
            "",
            List.of("DFLOCKD_HTTP_READ_TOKEN_FILE"),
            "File with the HTTP read token"),
    TRANSPORT(
            "transport",
            Type.TEXT,
            Minimum.NONE,
            "auto",
            "auto",
            List.of(),
            "auto, io_uring, epoll, kqueue or nio"),
    EVENT_LOOPS(
            "event-loops",
            Type.COUNT,
            Minimum.ZERO,
            "0",
            "0",
            List.of(),
            "Number of event loop threads; 0 = one per two processors"),
    CLUSTER(
            "cluster",
            Type.TEXT,
            Minimum.NONE,
            null,
            "",
            List.of(),
            "All nodes of the cluster, as NAME=HOST:PORT separated by commas, the same on each"
                    + " node"),
    NODE("node", Type.TEXT, Minimum.NONE, null, "", List.of(), "Name of this node"),
    DATA_DIR(
            "data-dir",
            Type.TEXT,
            Minimum.NONE,
            null,
            "",
            List.of(),
            "Data directory: log and snapshots; without --cluster, for a single durable server"),
    CLUSTER_NAME(
            "cluster-name",
            Type.TEXT,
            Minimum.NONE,
            null,
            "holdfast",
            List.of(),
            "Name of the cluster; nodes with another cluster name are rejected"),
    CLUSTER_WAIT(
            "cluster-wait",
            Type.SECONDS,
            Minimum.ONE,
            null,
            "5",
            List.of(),
            "Timeout of requests without a wait time of their own while the cluster cannot commit"),
    SESSION_TIMEOUT(
            "session-timeout",
            Type.SECONDS,
            Minimum.ONE,
            null,
            "10",
            List.of(),
            "Session timeout: how long the sessions of a node survive the loss of the node"),
    JOIN(
            "join",
            Type.SWITCH,
            Minimum.NONE,
            null,
            "false",
            List.of(),
            "Wait to be added to a running cluster"),
    CLUSTER_TLS_CERT(
            "cluster-tls-cert",
            Type.TEXT,
            Minimum.NONE,
            null,
            "",
            List.of(),
            "PEM file with the certificate of this node for the other nodes"),
    CLUSTER_TLS_KEY(
            "cluster-tls-key",
            Type.TEXT,
            Minimum.NONE,
            null,
            "",
            List.of(),
            "PEM file with the private key of that certificate"),
    CLUSTER_TLS_CA(
            "cluster-tls-ca",
            Type.TEXT,
            Minimum.NONE,
            null,
            "",
            List.of(),
            "PEM file with the certificate authority of all nodes' certificates"),
    DEBUG(
            "debug",
            Type.SWITCH,
            Minimum.NONE,
            "false",
            "false",
            List.of("DFLOCKD_DEBUG"),
            "Log debug messages");

    /** The type of a value. */
    enum Type {
        TEXT,
        COUNT,
        SECONDS,
        SWITCH
    }

    private enum Minimum {
        NONE,
        ZERO,
        ONE
    }

    /** The longest duration, in seconds, whose nanoseconds fit into a long. */
    private static final long MAX_SECONDS = 9223372036L;

    private static final long MAX_EVENT_LOOPS = 1024;

    final String flag;
    final Type type;
    private final Minimum minimum;

    /** Null if {@code dflockd} does not have the setting. */
    final @Nullable String dflockdDefault;

    /** Null if {@code serve} does not have the setting. */
    final @Nullable String serveDefault;

    /** The variables of {@code dflockd}; the first one that is set is used. */
    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    final List<String> dflockdVariables;

    final String help;

    Setting(
            String flag,
            Type type,
            Minimum minimum,
            @Nullable String dflockdDefault,
            @Nullable String serveDefault,
            List<String> dflockdVariables,
            String help) {
        this.flag = flag;
        this.type = type;
        this.minimum = minimum;
        this.dflockdDefault = dflockdDefault;
        this.serveDefault = serveDefault;
        this.dflockdVariables = dflockdVariables;
        this.help = help;
    }

    /** Returns the variable of {@code serve}. */
    String holdfastVariable() {
        if (this == CLUSTER) {
            // the variables of the other cluster settings begin with HOLDFAST_CLUSTER
            return "HOLDFAST_CLUSTER_NODES";
        }
        if (this == HTTP) {
            // HOLDFAST_HTTP is the clients' variable for the server's URL
            return "HOLDFAST_SERVE_HTTP";
        }
        return "HOLDFAST_" + flag.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** Whether the text can be parsed as a value of this type; its range is not checked. */
    boolean reads(String text) {
        return switch (type) {
            case TEXT -> true;
            case COUNT, SECONDS -> FlagNumbers.parse(text).isPresent();
            case SWITCH -> FlagBooleans.parse(text).isPresent();
        };
    }

    /**
     * Parses the number and checks its range.
     *
     * @param zeroIsNoLimit whether {@code --max-locks 0} is valid and means unlimited
     */
    long number(String text, boolean zeroIsNoLimit) {
        long value = FlagNumbers.parse(text).orElseThrow();
        if (this == MAX_LOCKS && zeroIsNoLimit && value == 0) {
            return value;
        }
        String unit = type == Type.SECONDS ? "s" : "";
        switch (minimum) {
            case ONE -> {
                if (value < 1) {
                    if (this == MAX_LOCKS && zeroIsNoLimit) {
                        throw new ConfigException("--max-locks must be >= 0 (got " + value + ")");
                    }
                    String actual = type == Type.SECONDS ? "" : " (got " + value + ")";
                    throw new ConfigException("--" + flag + " must be > 0" + actual);
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
