package io.holdfast.client.wire;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A small server with tagged mode, which loses what a test tells it to lose. Leases and graces end
 * only when it is told so.
 */
final class FakeTaggedServer implements AutoCloseable {
    private final ServerSocket listener;
    private final List<Peer> peers = new ArrayList<>();
    private final Map<String, Resource> places = new HashMap<>();
    private final Map<Long, ServerSession> sessions = new TreeMap<>();
    private final List<String> received = new ArrayList<>();
    private final Set<String> unanswered = new HashSet<>();
    private final Set<String> unread = new HashSet<>();
    private long fences = 100;
    private long secrets;
    private long lastSession;
    private int page = 500;
    private int pings;
    private Runnable afterMine = () -> {};
    private boolean plain;
    private boolean deaf;
    private boolean away;
    private long graceMillis = 60_000;
    private boolean closed;

    FakeTaggedServer() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    /** One key, as a lock or as a semaphore. */
    private static final class Resource {
        private final Map<Long, Grant> holders = new HashMap<>(); // by fence
        private final Deque<Wait> line = new ArrayDeque<>();
        private long limit = 1;
    }

    private record Wait(ServerSession session, long tag, Resource place, boolean unbound) {}

    private record Grant(ServerSession session, long tag, String token, boolean unbound) {}

    private static final class ServerSession {
        private final long number;
        private String secret = "";
        private @Nullable Peer peer;
        private long lastTag;

        ServerSession(long number) {
            this.number = number;
        }
    }

    InetSocketAddress address() {
        return InetSocketAddress.createUnresolved("127.0.0.1", listener.getLocalPort());
    }

    // What tests tell it

    /** Sessions end with their connection from now on, as far as those know that come now. */
    synchronized void grace(long millis) {
        graceMillis = millis;
    }

    synchronized void pagesOf(int entries) {
        page = entries;
    }

    /** Does something right after the next list of holds was sent. */
    synchronized void afterNextMine(Runnable task) {
        afterMine = task;
    }

    synchronized void becomePlain(boolean now) {
        plain = now;
    }

    /** Obeys a command and keeps the answer to itself. */
    synchronized void leaveUnanswered(String command) {
        unanswered.add(command);
    }

    /** Does not even look at a command. */
    synchronized void leaveUnread(String command) {
        unread.add(command);
    }

    synchronized void answerAll() {
        unanswered.clear();
        unread.clear();
        deaf = false;
    }

    /** Reads nothing and says nothing, with the connection open. */
    synchronized void fallSilent() {
        deaf = true;
    }

    /** Ends all connections; the sessions stay. */
    synchronized void cut() {
        for (Peer peer : List.copyOf(peers)) {
            peer.close();
        }
    }

    /** Ends all connections, and everyone who comes is sent away. */
    synchronized void goAway() {
        away = true;
        cut();
    }

    synchronized void comeBack() {
        away = false;
    }

    /** As when graces are over: no session, nothing bound is left. */
    synchronized void endSessions() {
        for (ServerSession session : List.copyOf(sessions.values())) {
            end(session);
        }
    }

    /** The lease of all holders ends. */
    synchronized void expire(String key) {
        Resource resource = place("l " + key);
        for (Grant grant : List.copyOf(resource.holders.values())) {
            drop(resource, grant);
            push(grant.session, "lost " + grant.tag + " expired");
        }
        serve(resource);
    }

    synchronized void pushToAll(String line) {
        for (ServerSession session : sessions.values()) {
            push(session, line);
        }
    }

    /** Holds the key in nobody's name until it is {@link #free}d. */
    synchronized void occupy(String key) {
        place("l " + key).holders.put(0L, new Grant(new ServerSession(0), 0, "", true));
    }

    synchronized void free(String key) {
        Resource resource = place("l " + key);
        resource.holders.remove(0L);
        serve(resource);
    }

    // What tests ask it

    /** All that was asked, {@code command key argument}, without pings. */
    synchronized List<String> received() {
        return List.copyOf(received);
    }

    synchronized long count(String command) {
        return received.stream().filter(line -> line.startsWith(command + " ")).count();
    }

    synchronized int held(String key) {
        return place("l " + key).holders.size();
    }

    synchronized int waiting(String key) {
        return place("l " + key).line.size();
    }

    synchronized int pings() {
        return pings;
    }

    synchronized int sessions() {
        return sessions.size();
    }

    synchronized int connections() {
        return peers.size();
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
            cut();
            notifyAll();
        }
        listener.close();
    }

    // Connections

    private static void daemon(Runnable task) {
        var thread = new Thread(task, "played server");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                synchronized (this) {
                    if (away || closed) {
                        socket.close();
                    } else {
                        var peer = new Peer(socket);
                        peers.add(peer);
                        daemon(peer::run);
                    }
                }
            }
        } catch (IOException e) {
            // The end of the test.
        }
    }

    private final class Peer {
        private final Socket socket;
        private final OutputStream out;
        private @Nullable ServerSession session;

        Peer(Socket socket) throws IOException {
            this.socket = socket;
            socket.setTcpNoDelay(true);
            this.out = socket.getOutputStream();
        }

        void run() {
            try (var in =
                    new BufferedReader(
                            new InputStreamReader(
                                    socket.getInputStream(), StandardCharsets.UTF_8))) {
                while (true) {
                    synchronized (FakeTaggedServer.this) {
                        while (deaf && !socket.isClosed()) {
                            FakeTaggedServer.this.wait(20);
                        }
                    }
                    String command = in.readLine();
                    String key = in.readLine();
                    String argument = in.readLine();
                    if (argument == null) {
                        break;
                    }
                    synchronized (FakeTaggedServer.this) {
                        handle(this, command, key, argument);
                    }
                }
            } catch (IOException | InterruptedException e) {
                // It has left.
            }
            synchronized (FakeTaggedServer.this) {
                close();
            }
        }

        void send(String line) {
            if (deaf) {
                return;
            }
            try {
                out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            } catch (IOException e) {
                close();
            }
        }

        void close() {
            peers.remove(this);
            if (session != null && session.peer == this) {
                session.peer = null;
            }
            try {
                socket.close();
            } catch (IOException e) {
                // As wanted.
            }
        }
    }

    private static void push(ServerSession session, String line) {
        if (session.peer != null) {
            session.peer.send(line);
        }
    }

    // Commands

    private void handle(Peer peer, String line, String key, String argument) {
        if (!peers.contains(peer)) {
            return;
        }
        if (line.equals("hello")) {
            received.add("hello _ " + argument);
            hello(peer, argument);
            return;
        }
        ServerSession session = peer.session;
        int blank = line.indexOf(' ');
        if (session == null || blank < 0) {
            peer.send("error");
            return;
        }
        long tag = Long.parseLong(line.substring(0, blank));
        String command = line.substring(blank + 1);
        if (command.equals("ping")) {
            pings++;
        } else {
            received.add(command + " " + key + " " + argument);
        }
        if (unread.contains(command)) {
            return;
        }
        if (tag <= session.lastTag) {
            peer.send("0 error");
            return;
        }
        session.lastTag = tag;
        String answer = answer(session, tag, command, key, argument);
        if (!answer.isEmpty()) {
            answer(session, tag, command, answer);
        }
        if (command.equals("mine")) {
            Runnable then = afterMine;
            afterMine = () -> {};
            then.run();
        } else if (command.equals("bye")) {
            peer.close();
        }
    }

    private void answer(ServerSession session, long tag, String command, String answer) {
        if (!unanswered.contains(command)) {
            push(session, tag + " " + answer);
        }
    }

    private void hello(Peer peer, String argument) {
        if (plain) {
            peer.send("error");
            return;
        }
        ServerSession session = null;
        for (String word : argument.split(" ", -1)) {
            if (word.startsWith("resume=")) {
                String[] parts = word.substring(7).split(":", -1);
                ServerSession old = sessions.get(Long.parseLong(parts[0]));
                session = old != null && old.secret.equals(parts[1]) ? old : null;
            }
        }
        boolean resumed = session != null;
        if (session == null) {
            session = new ServerSession(++lastSession);
            sessions.put(session.number, session);
        } else if (session.peer != null) {
            session.peer.close();
        }
        session.secret = "secret" + ++secrets;
        session.peer = peer;
        peer.session = session;
        peer.send(
                "ok 1 read=23 session="
                        + session.number
                        + " later=unknown secret="
                        + session.secret
                        + " lease=33 grace="
                        + graceMillis
                        + "ms"
                        + (resumed ? " resumed" : ""));
    }

    private String answer(
            ServerSession session, long tag, String command, String key, String argument) {
        String[] words = argument.split(" ", -1);
        return switch (command) {
            case "l" -> acquire(session, tag, place("l " + key), words);
            case "sl" -> {
                Resource semaphore = place("sl " + key);
                semaphore.limit = Long.parseLong(words[1]);
                yield acquire(session, tag, semaphore, words);
            }
            case "r" -> release(place("l " + key), words[0]);
            case "sr" -> release(place("sl " + key), words[0]);
            case "n" -> {
                Grant found = find(place("l " + key), words[0]);
                yield found == null ? "error" : "ok " + (words.length > 1 ? words[1] : "33");
            }
            case "cancel" -> {
                cancel(session, Long.parseLong(argument));
                yield "ok";
            }
            case "mine" -> mine(session, Long.parseLong(argument));
            case "bye" -> {
                answer(session, tag, "bye", "ok");
                end(session);
                yield "";
            }
            default -> "ok";
        };
    }

    private Resource place(String name) {
        return places.computeIfAbsent(name, unused -> new Resource());
    }

    private String acquire(ServerSession session, long tag, Resource resource, String[] words) {
        var wait = new Wait(session, tag, resource, List.of(words).contains("unbound"));
        if (resource.holders.size() < resource.limit && resource.line.isEmpty()) {
            return grant(wait);
        }
        if (words[0].equals("0")) {
            return "timeout";
        }
        resource.line.add(wait);
        return "";
    }

    private String grant(Wait wait) {
        long fence = ++fences;
        String token = String.format("%016x", fence) + "feedfeedfeedfeed";
        wait.place.holders.put(fence, new Grant(wait.session, wait.tag, token, wait.unbound));
        return "ok " + token + " 30";
    }

    private void serve(Resource resource) {
        while (resource.holders.size() < resource.limit && !resource.line.isEmpty()) {
            Wait next = resource.line.remove();
            answer(next.session, next.tag, "l", grant(next));
        }
    }

    private static @Nullable Grant find(Resource resource, String token) {
        for (Grant grant : resource.holders.values()) {
            if (grant.token.equals(token)) {
                return grant;
            }
        }
        return null;
    }

    private static void drop(Resource resource, Grant grant) {
        resource.holders.values().remove(grant);
    }

    private String release(Resource resource, String token) {
        Grant grant = find(resource, token);
        if (grant == null) {
            return "error";
        }
        drop(resource, grant);
        serve(resource);
        return "ok";
    }

    private void cancel(ServerSession session, long tag) {
        for (Resource resource : places.values()) {
            if (resource.line.removeIf(wait -> wait.session == session && wait.tag == tag)) {
                answer(session, tag, "l", "cancelled");
            }
        }
    }

    private String mine(ServerSession session, long after) {
        var entries = new TreeMap<Long, String>();
        for (Resource resource : places.values()) {
            for (Wait wait : resource.line) {
                if (wait.session == session) {
                    entries.put(wait.tag, wait.tag + ":w");
                }
            }
            for (Grant grant : resource.holders.values()) {
                if (grant.session == session) {
                    entries.put(grant.tag, grant.tag + ":h:" + grant.token + ":20");
                }
            }
        }
        var answer = new StringBuilder("ok");
        entries.tailMap(after, false).values().stream()
                .limit(page)
                .forEach(entry -> answer.append(' ').append(entry));
        return answer.toString();
    }

    private void end(ServerSession session) {
        sessions.remove(session.number);
        for (Resource resource : places.values()) {
            resource.line.removeIf(wait -> wait.session == session);
            resource.holders.values().removeIf(grant -> grant.session == session && !grant.unbound);
            serve(resource);
        }
    }
}
