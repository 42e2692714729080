package io.holdfast.http.lock;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Secret;
import io.holdfast.driver.Session;
import io.holdfast.engine.Namespace;
import io.holdfast.http.web.HttpContext;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.vertx.core.Vertx;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The open sessions. Belongs to the event loop, except for {@link #open}. */
public final class HttpSessions {
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final int NAME_LENGTH = 16;
    private static final Duration MAX_SWEEP_INTERVAL = Duration.ofSeconds(30);

    /**
     * An open session. The first half of its id finds it, and the second half proves that the
     * client knows the id.
     */
    private record OpenSession(HttpSession session, Namespace namespace, Secret proof) {}

    private final HttpContext httpContext;
    private final Supplier<@Nullable String> unready;
    private final Duration idle;
    private final int max;
    private final int maxPerAddress;
    private final Map<String, OpenSession> byName = new HashMap<>();
    private final Set<HttpSession> leases = new HashSet<>();
    private final Map<String, Integer> perAddress = new HashMap<>();
    private final AtomicInteger open = new AtomicInteger();

    /**
     * @param unready returns why no request can be committed, null if requests can
     * @param idle idle timeout: sessions that are unused for twice as long end; 0 for never
     * @param max the maximum number of sessions; 0 = unlimited
     * @param maxPerAddress the maximum number of sessions of one client address; 0 = unlimited
     */
    public HttpSessions(
            HttpContext httpContext,
            Supplier<@Nullable String> unready,
            Duration idle,
            int max,
            int maxPerAddress) {
        this.httpContext = httpContext;
        this.unready = unready;
        this.idle = idle;
        this.max = max;
        this.maxPerAddress = maxPerAddress;
    }

    /** Starts the periodic check for idle sessions. */
    public void start(Vertx vertx) {
        if (idle.isPositive()) {
            Duration every = idle.compareTo(MAX_SWEEP_INTERVAL) < 0 ? idle : MAX_SWEEP_INTERVAL;
            vertx.setPeriodic(Math.max(1, every.toMillis()), _ -> sweep());
        }
    }

    static HttpProblem gone() {
        return new HttpProblem(410, "session_gone", "this session does not exist or has ended");
    }

    /** The number of sessions, including those of streams; from any thread. */
    public int open() {
        return open.get();
    }

    /**
     * Reserves capacity for a client: a session or a stream.
     *
     * @return what releases it, to be run once
     */
    public Runnable enter(HttpExchange httpExchange) throws HttpProblem {
        if (httpContext.isDraining()) {
            throw HttpProblem.draining();
        }
        String address = httpExchange.address();
        if (max > 0 && open.get() >= max) {
            throw new HttpProblem(503, "max_sessions", "the maximum number of sessions is reached");
        }
        if (maxPerAddress > 0 && perAddress.getOrDefault(address, 0) >= maxPerAddress) {
            throw new HttpProblem(
                    503,
                    "max_sessions_per_ip",
                    "the maximum number of sessions of this address is reached");
        }
        if (!httpContext.backend().connectionBudget().tryReserve()) {
            throw new HttpProblem(
                    503, "max_sessions", "the memory limit of connections is reached");
        }
        perAddress.merge(address, 1, Integer::sum);
        open.incrementAndGet();
        httpContext.backend().connections().incrementAndGet();
        return () -> leave(address);
    }

    /**
     * The driver session of a stream. It holds nothing.
     *
     * @param leave releases the capacity
     */
    public record ForStream(Session session, Runnable leave) {
        /** Ends the session; to be called once. */
        public void close() {
            leave.run();
            session.close(0);
        }
    }

    /**
     * Opens a session for a stream.
     *
     * @throws HttpProblem if a limit is reached
     */
    public ForStream openForStream(HttpExchange httpExchange, EffectMailbox effectMailbox)
            throws HttpProblem {
        Runnable leave = enter(httpExchange);
        return new ForStream(
                httpContext.backend().driver().open(effectMailbox, clientInfo(httpExchange)),
                leave);
    }

    private static ClientInfo clientInfo(HttpExchange httpExchange) {
        String name = httpExchange.peerName();
        return new ClientInfo("http", () -> name);
    }

    private void leave(String address) {
        httpContext.backend().connections().decrementAndGet();
        open.decrementAndGet();
        perAddress.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
        httpContext.backend().connectionBudget().release();
    }

    /**
     * A new session.
     *
     * @param id a secret
     */
    record Created(String id, HttpSession session) {}

    /** Opens a session, unless its requests would be refused. */
    Created create(HttpExchange httpExchange) throws HttpProblem {
        String reason = unready.get();
        if (reason != null) {
            throw new HttpProblem(503, "unavailable", "no request can be committed: " + reason);
        }
        Runnable leave = enter(httpExchange);
        String name = hex(httpContext.backend().driver().salt());
        String proof = hex(httpContext.backend().driver().salt());
        HttpSession session =
                new HttpSession(
                        httpContext,
                        clientInfo(httpExchange),
                        _ -> {
                            byName.remove(name);
                            leave.run();
                        });
        byName.put(
                name, new OpenSession(session, httpExchange.namespace(), new Secret(ascii(proof))));
        return new Created(name + proof, session);
    }

    private static String hex(long value) {
        return "%016x".formatted(value);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The session whose id is in the path. */
    HttpSession inPath(HttpExchange httpExchange) throws HttpProblem {
        String id = httpExchange.segment("id");
        if (!ID.matcher(id).matches()) {
            throw HttpProblem.badRequest("a session id has 32 lower-case hex digits");
        }
        return find(id, httpExchange.namespace());
    }

    /** The session whose id is in the header. */
    HttpSession inHeader(HttpExchange httpExchange) throws HttpProblem {
        String id = httpExchange.header("X-Dflockd-Session");
        if (id == null) {
            throw HttpProblem.badRequest("the header X-Dflockd-Session is missing");
        }
        return find(id, httpExchange.namespace());
    }

    private HttpSession find(String id, Namespace namespace) throws HttpProblem {
        OpenSession openSession =
                ID.matcher(id).matches() ? byName.get(id.substring(0, NAME_LENGTH)) : null;
        if (openSession == null
                || !openSession.proof().matches(ascii(id.substring(NAME_LENGTH)))
                || !openSession.namespace().equals(namespace)) {
            throw gone();
        }
        openSession.session().use();
        return openSession.session();
    }

    /**
     * Executes a request in a session of its own. Its hold outlives that session and is counted for
     * the connection.
     */
    void once(HttpExchange httpExchange, HttpLockRequest httpLockRequest) {
        String name = httpExchange.peerName();
        ClientInfo clientInfo = new ClientInfo("http", () -> name, false, httpExchange.usage());
        HttpSession session = new HttpSession(httpContext, clientInfo, leases::remove);
        leases.add(session);
        session.submit(httpLockRequest);
        session.endWhenIdle();
    }

    private void sweep() {
        long nanos = Math.min(idle.toNanos(), Long.MAX_VALUE / 2) * 2;
        for (OpenSession openSession : List.copyOf(byName.values())) {
            if (openSession.session().isUnusedFor(nanos)) {
                openSession.session().end(() -> {});
            }
        }
    }

    /** Called when the server shuts down; see {@link HttpSession#drain}. */
    public void drain() {
        all().forEach(HttpSession::drain);
    }

    /** Ends all sessions. */
    public void close() {
        all().forEach(session -> session.end(() -> {}));
    }

    private List<HttpSession> all() {
        List<HttpSession> all = new ArrayList<>(leases);
        byName.values().forEach(openSession -> all.add(openSession.session()));
        return all;
    }
}
