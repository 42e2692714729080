package io.holdfast.client.internal.wire;

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
 * A small server with tagged mode that loses connections, requests and responses as the test
 * demands. Leases and grace periods end only by {@link #expire} and {@link #endSessions}.
 */
final class FakeTaggedServer implements AutoCloseable {
    private final ServerSocket listener;
    private final List<ClientConnection> openConnections = new ArrayList<>();
    private final Map<String, Resource> resources = new HashMap<>();
    private final Map<Long, ServerSession> sessions = new TreeMap<>();
    private final List<String> received = new ArrayList<>();
    private final Set<String> withoutResponse = new HashSet<>();
    private final Set<String> ignored = new HashSet<>();
    private long fences = 100;
    private long secrets;
    private long lastSession;
    private int page = 500;
    private int pings;
    private Runnable afterMine = () -> {};
    private boolean plain;
    private boolean silent;
    private boolean rejecting;
    private long graceMillis = 60_000;
    private boolean closed;

    FakeTaggedServer() throws IOException {
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    /** A lock or a semaphore. */
    private static final class Resource {
        private final Map<Long, Grant> holders = new HashMap<>(); // by fence
        private final Deque<Waiter> queue = new ArrayDeque<>();
        private long limit = 1;
    }

    private record Waiter(ServerSession session, long tag, Resource resource, boolean unbound) {}

    private record Grant(ServerSession session, long tag, String token, boolean unbound) {}

    private static final class ServerSession {
        private final long number;
        private String secret = "";
        private @Nullable ClientConnection connection;
        private long lastTag;

        ServerSession(long number) {
            this.number = number;
        }
    }

    InetSocketAddress address() {
        return InetSocketAddress.createUnresolved("127.0.0.1", listener.getLocalPort());
    }

    // Controls for tests

    /** Sets the grace period that later responses to {@code hello} announce. */
    synchronized void grace(long millis) {
        graceMillis = millis;
    }

    synchronized void pagesOf(int entries) {
        page = entries;
    }

    /** Runs a task right after the next list of holds was sent. */
    synchronized void afterNextMine(Runnable task) {
        afterMine = task;
    }

    synchronized void becomePlain(boolean now) {
        plain = now;
    }

    /** Executes a command without sending the response. */
    synchronized void suppressResponse(String command) {
        withoutResponse.add(command);
    }

    /** Ignores a command. */
    synchronized void ignore(String command) {
        ignored.add(command);
    }

    synchronized void respondAgain() {
        withoutResponse.clear();
        ignored.clear();
        silent = false;
    }

    /** Neither reads nor writes, with the connections open. */
    synchronized void fallSilent() {
        silent = true;
    }

    /** Closes all connections; the sessions remain. */
    synchronized void cut() {
        for (ClientConnection clientConnection : List.copyOf(openConnections)) {
            clientConnection.close();
        }
    }

    /** Closes all connections, and closes new ones at once. */
    synchronized void cutAndReject() {
        rejecting = true;
        cut();
    }

    synchronized void acceptAgain() {
        rejecting = false;
    }

    /** Ends all sessions with their bound holds, as at the end of the grace period. */
    synchronized void endSessions() {
        for (ServerSession session : List.copyOf(sessions.values())) {
            end(session);
        }
    }

    /** Ends the leases of all holders of a key. */
    synchronized void expire(String key) {
        Resource resource = resource("l " + key);
        for (Grant grant : List.copyOf(resource.holders.values())) {
            remove(resource, grant);
            push(grant.session, "lost " + grant.tag + " expired");
        }
        grantWaiters(resource);
    }

    synchronized void pushToAll(String line) {
        for (ServerSession session : sessions.values()) {
            push(session, line);
        }
    }

    /** Holds the key without a session until {@link #free} is called. */
    synchronized void occupy(String key) {
        resource("l " + key).holders.put(0L, new Grant(new ServerSession(0), 0, "", true));
    }

    synchronized void free(String key) {
        Resource resource = resource("l " + key);
        resource.holders.remove(0L);
        grantWaiters(resource);
    }

    // Observations for tests

    /** All received requests, {@code command key argument}, without pings. */
    synchronized List<String> received() {
        return List.copyOf(received);
    }

    synchronized long count(String command) {
        return received.stream().filter(line -> line.startsWith(command + " ")).count();
    }

    synchronized int held(String key) {
        return resource("l " + key).holders.size();
    }

    synchronized int waiting(String key) {
        return resource("l " + key).queue.size();
    }

    synchronized int pings() {
        return pings;
    }

    synchronized int sessions() {
        return sessions.size();
    }

    synchronized int connections() {
        return openConnections.size();
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
        var thread = new Thread(task, "fake server");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                synchronized (this) {
                    if (rejecting || closed) {
                        socket.close();
                    } else {
                        var clientConnection = new ClientConnection(socket);
                        openConnections.add(clientConnection);
                        daemon(clientConnection::run);
                    }
                }
            }
        } catch (IOException e) {
            // The end of the test.
        }
    }

    private final class ClientConnection {
        private final Socket socket;
        private final OutputStream out;
        private @Nullable ServerSession session;

        ClientConnection(Socket socket) throws IOException {
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
                        while (silent && !socket.isClosed()) {
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
                // The client has closed the connection.
            }
            synchronized (FakeTaggedServer.this) {
                close();
            }
        }

        void send(String line) {
            if (silent) {
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
            openConnections.remove(this);
            if (session != null && session.connection == this) {
                session.connection = null;
            }
            try {
                socket.close();
            } catch (IOException e) {
                // The socket is closed in any case.
            }
        }
    }

    private static void push(ServerSession session, String line) {
        if (session.connection != null) {
            session.connection.send(line);
        }
    }

    // Commands

    private void handle(
            ClientConnection clientConnection, String line, String key, String argument) {
        if (!openConnections.contains(clientConnection)) {
            return;
        }
        if (line.equals("hello")) {
            received.add("hello _ " + argument);
            hello(clientConnection, argument);
            return;
        }
        ServerSession session = clientConnection.session;
        int space = line.indexOf(' ');
        if (session == null || space < 0) {
            clientConnection.send("error");
            return;
        }
        long tag = Long.parseLong(line.substring(0, space));
        String command = line.substring(space + 1);
        if (command.equals("ping")) {
            pings++;
        } else {
            received.add(command + " " + key + " " + argument);
        }
        if (ignored.contains(command)) {
            return;
        }
        if (tag <= session.lastTag) {
            clientConnection.send("0 error");
            return;
        }
        session.lastTag = tag;
        String response = execute(session, tag, command, key, argument);
        if (!response.isEmpty()) {
            respond(session, tag, command, response);
        }
        if (command.equals("mine")) {
            Runnable task = afterMine;
            afterMine = () -> {};
            task.run();
        } else if (command.equals("bye")) {
            clientConnection.close();
        }
    }

    private void respond(ServerSession session, long tag, String command, String response) {
        if (!withoutResponse.contains(command)) {
            push(session, tag + " " + response);
        }
    }

    private void hello(ClientConnection clientConnection, String argument) {
        if (plain) {
            clientConnection.send("error");
            return;
        }
        ServerSession session = null;
        for (String field : argument.split(" ", -1)) {
            if (field.startsWith("resume=")) {
                String[] parts = field.substring(7).split(":", -1);
                ServerSession old = sessions.get(Long.parseLong(parts[0]));
                session = old != null && old.secret.equals(parts[1]) ? old : null;
            }
        }
        boolean resumed = session != null;
        if (session == null) {
            session = new ServerSession(++lastSession);
            sessions.put(session.number, session);
        } else if (session.connection != null) {
            session.connection.close();
        }
        session.secret = "secret" + ++secrets;
        session.connection = clientConnection;
        clientConnection.session = session;
        clientConnection.send(
                "ok 1 read=23 session="
                        + session.number
                        + " later=unknown secret="
                        + session.secret
                        + " lease=33 grace="
                        + graceMillis
                        + "ms"
                        + (resumed ? " resumed" : ""));
    }

    private String execute(
            ServerSession session, long tag, String command, String key, String argument) {
        String[] fields = argument.split(" ", -1);
        return switch (command) {
            case "l" -> acquire(session, tag, resource("l " + key), fields);
            case "sl" -> {
                Resource semaphore = resource("sl " + key);
                semaphore.limit = Long.parseLong(fields[1]);
                yield acquire(session, tag, semaphore, fields);
            }
            case "r" -> release(resource("l " + key), fields[0]);
            case "sr" -> release(resource("sl " + key), fields[0]);
            case "n" -> {
                Grant found = find(resource("l " + key), fields[0]);
                yield found == null ? "error" : "ok " + (fields.length > 1 ? fields[1] : "33");
            }
            case "cancel" -> {
                cancel(session, Long.parseLong(argument));
                yield "ok";
            }
            case "mine" -> mine(session, Long.parseLong(argument));
            case "bye" -> {
                respond(session, tag, "bye", "ok");
                end(session);
                yield "";
            }
            default -> "ok";
        };
    }

    private Resource resource(String name) {
        return resources.computeIfAbsent(name, unused -> new Resource());
    }

    private String acquire(ServerSession session, long tag, Resource resource, String[] fields) {
        var waiter = new Waiter(session, tag, resource, List.of(fields).contains("unbound"));
        if (resource.holders.size() < resource.limit && resource.queue.isEmpty()) {
            return grant(waiter);
        }
        if (fields[0].equals("0")) {
            return "timeout";
        }
        resource.queue.add(waiter);
        return "";
    }

    private String grant(Waiter waiter) {
        long fence = ++fences;
        String token = String.format("%016x", fence) + "feedfeedfeedfeed";
        waiter.resource.holders.put(
                fence, new Grant(waiter.session, waiter.tag, token, waiter.unbound));
        return "ok " + token + " 30";
    }

    private void grantWaiters(Resource resource) {
        while (resource.holders.size() < resource.limit && !resource.queue.isEmpty()) {
            Waiter next = resource.queue.remove();
            respond(next.session, next.tag, "l", grant(next));
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

    private static void remove(Resource resource, Grant grant) {
        resource.holders.values().remove(grant);
    }

    private String release(Resource resource, String token) {
        Grant grant = find(resource, token);
        if (grant == null) {
            return "error";
        }
        remove(resource, grant);
        grantWaiters(resource);
        return "ok";
    }

    private void cancel(ServerSession session, long tag) {
        for (Resource resource : resources.values()) {
            if (resource.queue.removeIf(waiter -> waiter.session == session && waiter.tag == tag)) {
                respond(session, tag, "l", "cancelled");
            }
        }
    }

    private String mine(ServerSession session, long after) {
        var entries = new TreeMap<Long, String>();
        for (Resource resource : resources.values()) {
            for (Waiter waiter : resource.queue) {
                if (waiter.session == session) {
                    entries.put(waiter.tag, waiter.tag + ":w");
                }
            }
            for (Grant grant : resource.holders.values()) {
                if (grant.session == session) {
                    entries.put(grant.tag, grant.tag + ":h:" + grant.token + ":20");
                }
            }
        }
        var list = new StringBuilder("ok");
        entries.tailMap(after, false).values().stream()
                .limit(page)
                .forEach(entry -> list.append(' ').append(entry));
        return list.toString();
    }

    private void end(ServerSession session) {
        sessions.remove(session.number);
        for (Resource resource : resources.values()) {
            resource.queue.removeIf(waiter -> waiter.session == session);
            resource.holders.values().removeIf(grant -> grant.session == session && !grant.unbound);
            grantWaiters(resource);
        }
    }
}
