package io.holdfast.http.lock;

import io.holdfast.driver.Mailbox;
import io.holdfast.driver.Peer;
import io.holdfast.driver.Secret;
import io.holdfast.driver.Session;
import io.holdfast.engine.Namespace;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Problem;
import io.holdfast.http.web.Web;
import io.vertx.core.Vertx;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** The sessions that are open. Belongs to the event loop, except for {@link #open}. */
public final class HttpSessions {
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final int NAME_LENGTH = 16;
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(30);

    /** An open session: found by one half of its id, and proven by the other. */
    private record Kept(HttpSession session, Namespace namespace, Secret proof) {}

    private final Web web;
    private final Duration idle;
    private final int most;
    private final int mostPerAddress;
    private final Map<String, Kept> byName = new HashMap<>();
    private final Set<HttpSession> leases = new HashSet<>();
    private final Map<String, Integer> perAddress = new HashMap<>();
    private final AtomicInteger open = new AtomicInteger();

    /**
     * No sessions yet.
     *
     * @param idle those unused for twice as long end; 0 for never
     * @param most how many there may be; 0 for any number
     * @param mostPerAddress how many clients of one address may have
     */
    public HttpSessions(Web web, Duration idle, int most, int mostPerAddress) {
        this.web = web;
        this.idle = idle;
        this.most = most;
        this.mostPerAddress = mostPerAddress;
    }

    /** Begins to end those that nobody uses. */
    public void start(Vertx vertx) {
        if (idle.isPositive()) {
            Duration every = idle.compareTo(LONGEST_LOOK) < 0 ? idle : LONGEST_LOOK;
            vertx.setPeriodic(Math.max(1, every.toMillis()), _ -> sweep());
        }
    }

    static Problem gone() {
        return new Problem(410, "session_gone", "there is no such session, or not any more");
    }

    /** How many there are, streams included; from any thread. */
    public int open() {
        return open.get();
    }

    /**
     * Counts one more client: a session, or a stream that stands for one.
     *
     * @return what ends it, to be run once
     */
    public Runnable enter(Exchange exchange) throws Problem {
        if (web.isDraining()) {
            throw Problem.draining();
        }
        String address = exchange.address();
        if (most > 0 && open.get() >= most) {
            throw new Problem(503, "max_sessions", "there are as many sessions as may be");
        }
        if (mostPerAddress > 0 && perAddress.getOrDefault(address, 0) >= mostPerAddress) {
            throw new Problem(
                    503, "max_sessions_per_ip", "this address has as many sessions as it may");
        }
        if (!web.backend().connectionRoom().take()) {
            throw new Problem(503, "max_sessions", "memory is short");
        }
        perAddress.merge(address, 1, Integer::sum);
        open.incrementAndGet();
        web.backend().connections().incrementAndGet();
        return () -> leave(address);
    }

    /** A session of a stream, which listens and holds nothing. */
    public record ForStream(Session session, Runnable leave) {
        /** Ends it; to be called once. */
        public void close() {
            leave.run();
            session.close(0);
        }
    }

    /**
     * Opens a session for a stream.
     *
     * @throws Problem if there are too many
     */
    public ForStream openForStream(Exchange exchange, Mailbox mailbox) throws Problem {
        Runnable leave = enter(exchange);
        return new ForStream(web.backend().driver().open(mailbox, peer(exchange)), leave);
    }

    private static Peer peer(Exchange exchange) {
        String name = exchange.peerName();
        return new Peer("http", () -> name);
    }

    private void leave(String address) {
        web.backend().connections().decrementAndGet();
        open.decrementAndGet();
        perAddress.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
        web.backend().connectionRoom().giveBack();
    }

    /**
     * A session that has just been opened.
     *
     * @param id a secret
     */
    record Created(String id, HttpSession session) {}

    /** Opens a session. */
    Created create(Exchange exchange) throws Problem {
        Runnable leave = enter(exchange);
        String name = hex(web.backend().driver().salt());
        String proof = hex(web.backend().driver().salt());
        HttpSession session =
                new HttpSession(
                        web,
                        peer(exchange),
                        _ -> {
                            byName.remove(name);
                            leave.run();
                        });
        byName.put(name, new Kept(session, exchange.namespace(), new Secret(ascii(proof))));
        return new Created(name + proof, session);
    }

    private static String hex(long value) {
        return "%016x".formatted(value);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** The session of an id in the path. */
    HttpSession inPath(Exchange exchange) throws Problem {
        String id = exchange.segment("id");
        if (!ID.matcher(id).matches()) {
            throw Problem.badRequest("a session id has 32 lower-case hex digits");
        }
        return find(id, exchange.namespace());
    }

    /** The session of an id in the header. */
    HttpSession inHeader(Exchange exchange) throws Problem {
        String id = exchange.header("X-Dflockd-Session");
        if (id == null) {
            throw Problem.badRequest("the header X-Dflockd-Session is missing");
        }
        return find(id, exchange.namespace());
    }

    private HttpSession find(String id, Namespace namespace) throws Problem {
        Kept kept = ID.matcher(id).matches() ? byName.get(id.substring(0, NAME_LENGTH)) : null;
        if (kept == null
                || !kept.proof().matches(ascii(id.substring(NAME_LENGTH)))
                || !kept.namespace().equals(namespace)) {
            throw gone();
        }
        kept.session().use();
        return kept.session();
    }

    /** A session for one request, whose hold outlives it and counts for the connection. */
    void once(Exchange exchange, Task task) {
        String name = exchange.peerName();
        Peer peer = new Peer("http", () -> name, false, exchange.usage());
        HttpSession session = new HttpSession(web, peer, leases::remove);
        leases.add(session);
        session.submit(task);
        session.endWhenIdle();
    }

    private void sweep() {
        long nanos = Math.min(idle.toNanos(), Long.MAX_VALUE / 2) * 2;
        for (Kept kept : List.copyOf(byName.values())) {
            if (kept.session().isUnusedFor(nanos)) {
                kept.session().end(() -> {});
            }
        }
    }

    /** The server shuts down. */
    public void drain() {
        all().forEach(HttpSession::drain);
    }

    /** Ends all of them. */
    public void close() {
        all().forEach(session -> session.end(() -> {}));
    }

    private List<HttpSession> all() {
        List<HttpSession> all = new ArrayList<>(leases);
        byName.values().forEach(kept -> all.add(kept.session()));
        return all;
    }
}
