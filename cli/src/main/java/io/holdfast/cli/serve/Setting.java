package io.holdfast.cli.serve;

import static io.holdfast.cli.serve.SettingSpec.combined;
import static io.holdfast.cli.serve.SettingSpec.count;
import static io.holdfast.cli.serve.SettingSpec.limit;
import static io.holdfast.cli.serve.SettingSpec.names;
import static io.holdfast.cli.serve.SettingSpec.path;
import static io.holdfast.cli.serve.SettingSpec.seconds;
import static io.holdfast.cli.serve.SettingSpec.text;
import static io.holdfast.cli.serve.SettingSpec.toggle;

import io.holdfast.cluster.ClusterConfig;
import io.holdfast.driver.config.SettingRange;
import io.holdfast.server.IoTransport;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One setting of the server. This table is the only place that maps a name to a value of the
 * configuration; flags, variables, help texts and the table of the README come from it. Ranges are
 * checked by the records that the values are put into, and defaults are those of the records.
 */
enum Setting {
    LISTEN(
            combined(
                            "listen",
                            SettingType.TEXT,
                            "dflockd://127.0.0.1:6388,lockd://127.0.0.1:9999,http://127.0.0.1:6389")
                    .onlyInServe()
                    .repeated("URL")
                    .help(ListenSchemes.ALL.help())),
    HTTP(
            combined("http", SettingType.SWITCH, "true")
                    .onlyInServe()
                    // HOLDFAST_HTTP is the clients' variable for the server's URL
                    .serveVariable("HOLDFAST_SERVE_HTTP")
                    .help(
                            "Serve HTTP; with --no-http, http:// and https:// addresses are"
                                    + " ignored")),
    HOST(
            combined("host", SettingType.TEXT, "127.0.0.1")
                    .variables("DFLOCKD_HOST")
                    .onlyInDflockd()
                    .help("Address to listen on")),
    PORT(
            combined("port", SettingType.COUNT, "6388")
                    .variables("DFLOCKD_PORT")
                    .onlyInDflockd()
                    .help("Port to listen on; 0 chooses a free port")),
    DEFAULT_LEASE_TTL(
            seconds(
                            "default-lease-ttl",
                            (p, time) -> p.timeouts().defaultLease(time),
                            p -> p.server().timeouts().defaultLease())
                    .variables("DFLOCKD_DEFAULT_LEASE_TTL_S")
                    .help("Lease of requests that specify none")),
    LEASE_SWEEP_INTERVAL(
            seconds(
                            "lease-sweep-interval",
                            (p, time) -> SettingRange.requirePositive("lease-sweep-interval", time),
                            p -> Duration.ofSeconds(1))
                    .variables("DFLOCKD_LEASE_SWEEP_INTERVAL_S")
                    .help(
                            "No effect, accepted for compatibility: expired locks are passed on at"
                                    + " once")),
    GC_INTERVAL(
            seconds(
                            "gc-interval",
                            (p, time) -> p.timeouts().collectEvery(time),
                            p -> p.server().timeouts().collectEvery())
                    .variables("DFLOCKD_GC_INTERVAL_S", "DFLOCKD_GC_LOOP_SLEEP")
                    .help("How often idle keys are collected")),
    GC_MAX_IDLE(
            seconds(
                            "gc-max-idle",
                            (p, time) -> p.timeouts().idle(time),
                            p -> p.server().timeouts().idle())
                    .variables("DFLOCKD_GC_MAX_IDLE_S", "DFLOCKD_GC_MAX_UNUSED_TIME")
                    .help("How long an idle key is retained before it is collected")),
    MAX_LOCKS(
            count(
                            "max-locks",
                            (p, n) -> p.limits().maxLocks(n),
                            p -> p.server().limits().maxLocks())
                    .variables("DFLOCKD_MAX_LOCKS")
                    .inDflockd("1024")
                    .help(
                            "Maximum number of lock and semaphore keys, even idle; serve: 0 ="
                                    + " unlimited")),
    LOCKD_MAX_LOCKS(
            count(
                            "lockd-max-locks",
                            (p, n) -> p.limits().maxLockdLocks(n),
                            p -> p.server().limits().maxLockdLocks())
                    .onlyInServe()
                    .help("Maximum number of keys locked by lockd clients only; 0 = unlimited")),
    WS_ALLOW_ORIGIN(
            names(
                            "ws-allow-origin",
                            (p, names) -> p.server().webSocketOrigins(hosts(names)),
                            p -> p.server().webSocketOrigins())
                    .onlyInServe()
                    .repeated("NAME")
                    .help(
                            "Host name of web pages that may connect to lockd's WebSocket; may be"
                                    + " repeated")),
    MAX_CONNECTIONS(
            limit(
                            "max-connections",
                            (p, n) -> p.limits().maxConnections(n),
                            p -> p.server().limits().maxConnections())
                    .variables("DFLOCKD_MAX_CONNECTIONS")
                    .help("Maximum number of open connections; 0 = unlimited")),
    MAX_CONNECTIONS_PER_IP(
            limit(
                            "max-connections-per-ip",
                            (p, n) -> p.limits().maxConnectionsPerAddress(n),
                            p -> p.server().limits().maxConnectionsPerAddress())
                    .variables("DFLOCKD_MAX_CONNECTIONS_PER_IP")
                    .help("Maximum number of open connections per client address; 0 = unlimited")),
    MAX_WAITERS(
            limit(
                            "max-waiters",
                            (p, n) -> p.limits().maxWaiters(n),
                            p -> p.server().limits().maxWaiters())
                    .variables("DFLOCKD_MAX_WAITERS")
                    .help("Maximum number of waiters per key; 0 = unlimited")),
    MAX_KEYS(
            count(
                            "max-keys",
                            (p, n) -> p.limits().maxEntries(n),
                            p -> p.server().limits().maxEntries())
                    .variables("DFLOCKD_MAX_KEYS")
                    .help("Maximum total number of counters, values and lists; 0 = unlimited")),
    MAX_NAMES_PER_CONNECTION(
            limit(
                            "max-names-per-connection",
                            (p, n) -> p.limits().maxLocksPerClient(n),
                            p -> p.server().limits().perClient().names())
                    .inDflockd("0")
                    .help(
                            "Maximum lock and semaphore keys, and holds, per connection; 0 ="
                                    + " unlimited")),
    MAX_WAITERS_PER_CONNECTION(
            limit(
                            "max-waiters-per-connection",
                            (p, n) -> p.limits().maxWaitersPerClient(n),
                            p -> p.server().limits().perClient().waits())
                    .inDflockd("0")
                    .help("Maximum number of waiting requests per connection; 0 = unlimited")),
    MAX_KEYS_PER_CONNECTION(
            limit(
                            "max-keys-per-connection",
                            (p, n) -> p.limits().maxEntriesPerClient(n),
                            p -> p.server().limits().perClient().entries())
                    .inDflockd("0")
                    .help(
                            "Maximum counters, values and lists created by one connection; 0 ="
                                    + " unlimited")),
    MAX_LIST_LENGTH(
            limit(
                            "max-list-length",
                            (p, n) -> p.limits().maxListLength(n),
                            p -> p.server().limits().maxListLength())
                    .variables("DFLOCKD_MAX_LIST_LENGTH")
                    .help("Maximum number of items per list; 0 = unlimited")),
    MAX_SUBSCRIPTIONS(
            limit(
                            "max-subscriptions",
                            (p, n) -> p.limits().maxSubscriptions(n),
                            p -> p.server().limits().maxSubscriptions())
                    .variables("DFLOCKD_MAX_SUBSCRIPTIONS")
                    .help(
                            "Maximum number of patterns that one connection listens to; 0 ="
                                    + " unlimited")),
    MAX_PUSH_BYTES(
            count(
                            "max-push-bytes",
                            (p, n) -> p.limits().maxPushBytes(n),
                            p -> p.server().limits().maxPushBytes())
                    .variables("DFLOCKD_MAX_PUSH_BYTES")
                    .help("Maximum bytes of unread signals per listener; 64 signals always fit")),
    READ_TIMEOUT(
            seconds(
                            "read-timeout",
                            (p, time) -> p.timeouts().read(time),
                            p -> p.server().timeouts().read())
                    .variables("DFLOCKD_READ_TIMEOUT_S")
                    .help(
                            "Timeout for receiving a line from a client; paused while it waits for"
                                    + " a lock")),
    WRITE_TIMEOUT(
            seconds(
                            "write-timeout",
                            (p, time) -> p.timeouts().write(time),
                            p -> p.server().timeouts().write())
                    .variables("DFLOCKD_WRITE_TIMEOUT_S")
                    .help("Timeout for a client to receive a response; 0 = no timeout")),
    SHUTDOWN_TIMEOUT(
            seconds(
                            "shutdown-timeout",
                            (p, time) -> p.timeouts().shutdown(time),
                            p -> p.server().timeouts().shutdown())
                    .variables("DFLOCKD_SHUTDOWN_TIMEOUT_S")
                    .help("How long a shutdown waits for holders to finish; 0 = no timeout")),
    MAX_SESSION_GRACE(
            seconds(
                            "max-session-grace",
                            (p, time) -> p.timeouts().maxSessionGrace(time),
                            p -> p.server().timeouts().maxSessionGrace())
                    .help(
                            "Maximum time a tagged-mode session outlives its connection; 0 = not at"
                                    + " all")),
    STATE_DIR(
            combined("state-dir", SettingType.TEXT, "")
                    .onlyInServe()
                    .help(
                            "Directory for run files, which protect locks when the server is"
                                + " restarted after a crash; if unset, $STATE_DIRECTORY (systemd),"
                                + " $XDG_STATE_HOME/holdfast or ~/.local/state/holdfast")),
    RESTART_QUARANTINE(
            combined("restart-quarantine", SettingType.SECONDS, "3600")
                    .onlyInServe()
                    .help(
                            "Maximum time after a crash during which nothing is granted, because"
                                    + " clients may still rely on earlier locks; 0 = off")),
    TLS_CERT(
            combined("tls-cert", SettingType.TEXT, "")
                    .variables("DFLOCKD_TLS_CERT")
                    .help("PEM file with the TLS certificate")),
    TLS_KEY(
            combined("tls-key", SettingType.TEXT, "")
                    .variables("DFLOCKD_TLS_KEY")
                    .help("PEM file with the private key of the certificate")),
    AUTH_TOKEN(
            combined("auth-token", SettingType.TEXT, "")
                    .variables("DFLOCKD_AUTH_TOKEN")
                    .help("Auth token that clients must send first")),
    AUTH_TOKEN_FILE(
            combined("auth-token-file", SettingType.TEXT, "")
                    .variables("DFLOCKD_AUTH_TOKEN_FILE")
                    .help("File with the auth token")),
    AUTO_RELEASE_ON_DISCONNECT(
            toggle(
                            "auto-release-on-disconnect",
                            (p, on) -> p.server().autoRelease(on),
                            p -> p.server().autoRelease())
                    .variables("DFLOCKD_AUTO_RELEASE_ON_DISCONNECT")
                    .help("Release a client's holds when its connection ends")),
    FENCE_STATE_FILE(
            path(
                            "fence-state-file",
                            (p, file) -> p.server().fenceFile(file),
                            p -> p.server().fenceFile())
                    .variables("DFLOCKD_FENCE_STATE_FILE")
                    .help(
                            "File that stores the highest fence, so that fences keep growing across"
                                    + " restarts")),
    HTTP_PORT(
            combined("http-port", SettingType.COUNT, "0")
                    .variables("DFLOCKD_HTTP_PORT")
                    .onlyInDflockd()
                    .help("Port for HTTP; 0 = no HTTP")),
    HTTP_HOST(
            combined("http-host", SettingType.TEXT, "")
                    .variables("DFLOCKD_HTTP_HOST")
                    .onlyInDflockd()
                    .help("Address for HTTP; if unset, that of --host")),
    HTTP_SESSION_IDLE_TIMEOUT(
            seconds(
                            "http-session-idle-timeout",
                            (p, time) -> p.http().sessionIdle(time),
                            p -> p.http().sessionIdle())
                    .variables("DFLOCKD_HTTP_SESSION_IDLE_S")
                    .help(
                            "An HTTP session ends when it has been idle for twice this time; 0 = no"
                                    + " timeout")),
    HTTP_MAX_SESSIONS(
            limit(
                            "http-max-sessions",
                            (p, n) -> p.http().maxSessions(n),
                            p -> p.http().maxSessions())
                    .variables("DFLOCKD_HTTP_MAX_SESSIONS")
                    .help("Maximum number of HTTP sessions; 0 = unlimited")),
    HTTP_MAX_SESSIONS_PER_IP(
            limit(
                            "http-max-sessions-per-ip",
                            (p, n) -> p.http().maxSessionsPerAddress(n),
                            p -> p.http().maxSessionsPerAddress())
                    .variables("DFLOCKD_HTTP_MAX_SESSIONS_PER_IP")
                    .help("Maximum number of HTTP sessions per client address; 0 = unlimited")),
    HTTP_MAX_CONNECTIONS_PER_IP(
            limit(
                            "http-max-connections-per-ip",
                            (p, n) -> p.http().maxConnectionsPerAddress(n),
                            p -> p.http().maxConnectionsPerAddress())
                    .variables("DFLOCKD_HTTP_MAX_CONNECTIONS_PER_IP")
                    .help(
                            "Maximum number of open HTTP connections per client address; 0 ="
                                    + " unlimited")),
    HTTP_RATE_LIMIT_PER_IP(
            limit("http-rate-limit-per-ip", (p, n) -> p.http().rate(n), p -> p.http().rate())
                    .variables("DFLOCKD_HTTP_RATE_LIMIT_PER_IP")
                    .help(
                            "Maximum number of HTTP requests per second and client address; 0 ="
                                    + " unlimited")),
    HTTP_RATE_LIMIT_BURST(
            limit("http-rate-limit-burst", (p, n) -> p.http().burst(n), p -> p.http().burst())
                    .variables("DFLOCKD_HTTP_RATE_LIMIT_BURST")
                    .help("Maximum burst of these requests; 0 = the same as the rate")),
    HTTP_SSE_PING_INTERVAL(
            seconds(
                            "http-sse-ping-interval",
                            (p, time) -> p.http().ping(time),
                            p -> p.http().ping())
                    .variables("DFLOCKD_HTTP_SSE_PING_S")
                    .help(
                            "Interval of comments on an idle event stream; less than the idle"
                                    + " timeout")),
    HTTP_CORS_ALLOWED_ORIGINS(
            names(
                            "http-cors-allowed-origins",
                            (p, names) -> p.http().corsOrigins(names),
                            p -> p.http().corsOrigins())
                    .variables("DFLOCKD_HTTP_CORS_ALLOWED_ORIGINS")
                    .help(
                            "Origins of web pages that may use the HTTP API, separated by commas; *"
                                    + " = any")),
    HTTP_ALLOWED_HOSTS(
            names(
                            "http-allowed-hosts",
                            (p, names) -> p.http().allowedHosts(names),
                            p -> p.http().allowedHosts())
                    .variables("DFLOCKD_HTTP_ALLOWED_HOSTS")
                    .help("Host names that are accepted in HTTP requests, separated by commas")),
    HTTP_ADMIN(
            toggle("http-admin", (p, on) -> p.http().admin(on), p -> p.http().admin())
                    .variables("DFLOCKD_HTTP_ADMIN")
                    .help("Without an auth token, allow forced release and disconnect over HTTP")),
    HTTP_READ_TOKEN(
            combined("http-read-token", SettingType.TEXT, "")
                    .variables("DFLOCKD_HTTP_READ_TOKEN")
                    .help("Second token, which gives HTTP clients read access only")),
    HTTP_READ_TOKEN_FILE(
            combined("http-read-token-file", SettingType.TEXT, "")
                    .variables("DFLOCKD_HTTP_READ_TOKEN_FILE")
                    .help("File with the HTTP read token")),
    TRANSPORT(
            text(
                            "transport",
                            (p, name) -> p.server().transport(IoTransport.of(name)),
                            p -> p.server().transport())
                    .help("auto, io_uring, epoll, kqueue or nio")),
    EVENT_LOOPS(
            limit("event-loops", (p, n) -> p.server().eventLoops(n), p -> p.server().eventLoops())
                    .help("Number of event loop threads; 0 = one per two processors")),
    CLUSTER(
            combined("cluster", SettingType.TEXT, "")
                    .onlyInServe()
                    .repeated("NODES")
                    // the variables of the other cluster settings begin with HOLDFAST_CLUSTER
                    .serveVariable("HOLDFAST_CLUSTER_NODES")
                    .help(
                            "All nodes of the cluster, as NAME=HOST:PORT separated by commas, the"
                                    + " same on each node")),
    NODE(combined("node", SettingType.TEXT, "").onlyInServe().help("Name of this node")),
    DATA_DIR(
            text(
                            "data-dir",
                            (p, directory) -> p.server().keepsValues(!directory.isEmpty()),
                            p -> "")
                    .onlyInServe()
                    .help(
                            "Data directory: log and snapshots; without --cluster, for a single"
                                    + " durable server")),
    CLUSTER_NAME(
            combined("cluster-name", SettingType.TEXT, ClusterConfig.DEFAULT_NAME)
                    .onlyInServe()
                    .help("Name of the cluster; nodes with another cluster name are rejected")),
    CLUSTER_BIND(
            combined("cluster-bind", SettingType.TEXT, "")
                    .onlyInServe()
                    .help(
                            "HOST:PORT to listen on for the other nodes, if they reach this node at"
                                    + " another address")),
    CLUSTER_CHECK_INTERVAL(
            combined("cluster-check-interval", SettingType.SECONDS, "600")
                    .onlyInServe()
                    .help("Time between two comparisons of the states of all nodes (0: none)")),
    CLUSTER_WAIT(
            combined("cluster-wait", SettingType.SECONDS, "5")
                    .onlyInServe()
                    .help(
                            "Timeout of requests without a wait time of their own while the cluster"
                                    + " cannot commit")),
    SESSION_TIMEOUT(
            combined("session-timeout", SettingType.SECONDS, "10")
                    .onlyInServe()
                    .help(
                            "Session timeout: how long the sessions of a node survive the loss of"
                                    + " the node")),
    JOIN(
            combined("join", SettingType.SWITCH, "false")
                    .onlyInServe()
                    .help("Wait to be added to a running cluster")),
    CLUSTER_SECRET_FILE(
            combined("cluster-secret-file", SettingType.TEXT, "")
                    .onlyInServe()
                    .help(
                            "File with the secret that allows holdfast cluster to change the"
                                    + " cluster, the same on each node; not needed with TLS between"
                                    + " the nodes")),
    CLUSTER_TLS_CERT(
            combined("cluster-tls-cert", SettingType.TEXT, "")
                    .onlyInServe()
                    .help("PEM file with the certificate of this node for the other nodes")),
    CLUSTER_TLS_KEY(
            combined("cluster-tls-key", SettingType.TEXT, "")
                    .onlyInServe()
                    .help("PEM file with the private key of that certificate")),
    CLUSTER_TLS_CA(
            combined("cluster-tls-ca", SettingType.TEXT, "")
                    .onlyInServe()
                    .help("PEM file with the certificate authority of all nodes' certificates")),
    DEBUG(
            toggle("debug", (p, on) -> p.debug(on), p -> p.debug())
                    .variables("DFLOCKD_DEBUG")
                    .help("Log debug messages"));

    final String flag;
    final SettingType type;

    /** Null if {@code dflockd} does not have the setting. */
    final @Nullable String dflockdDefault;

    /** Null if {@code serve} does not have the setting. */
    final @Nullable String serveDefault;

    /** The variables of {@code dflockd}; the first one that is set is used. */
    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    final List<String> dflockdVariables;

    /** The label of one value if the setting may be repeated, else null. */
    final @Nullable String repeatedLabel;

    final String help;

    @SuppressWarnings("ImmutableEnumChecker") // not changed after its row
    private final SettingSpec spec;

    Setting(SettingSpec spec) {
        this.spec = spec;
        this.flag = spec.flag;
        this.type = spec.type;
        this.dflockdDefault = spec.dflockdDefault;
        this.serveDefault = spec.serveDefault;
        this.dflockdVariables = spec.dflockdVariables;
        this.repeatedLabel = spec.repeatedLabel;
        this.help = spec.help;
    }

    /** Returns the variable of {@code serve}. */
    String holdfastVariable() {
        return spec.serveVariable != null
                ? spec.serveVariable
                : "HOLDFAST_" + flag.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** Whether the text can be parsed as a value of this type; its range is not checked. */
    boolean reads(String text) {
        return type.reads(text);
    }

    /** Puts a value into the configuration; it must be of this type. */
    void put(ServerPlan.Builder plan, String text) {
        spec.setter.accept(plan, text);
    }

    /**
     * Returns the description of this setting in the usage of a command.
     *
     * @param shownDefault empty for no default
     */
    String usage(String shownDefault) {
        return "  --"
                + (flag + " " + type.label).strip()
                + "\n        "
                + help
                + (shownDefault.isEmpty() ? "" : " (default " + shownDefault + ")");
    }

    private static Set<String> hosts(Set<String> origins) {
        return origins.stream().map(AllowedOriginParser::parse).collect(Collectors.toSet());
    }
}
