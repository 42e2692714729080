package io.holdfast.client.lockd;

import org.jspecify.annotations.Nullable;

import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * A connection to a server that speaks lockd: Holdfast, glockd, lockd.
 *
 * <pre>{@code
 * try (LockdClient client = LockdClient.connect("127.0.0.1:9999")) {
 *     if (client.tryGet("deploy")) {
 *         deploy();
 *         client.release("deploy");
 *     }
 * }
 * }</pre>
 *
 * <p><b>Holding.</b> Locks belong to the connection, not to a thread: two threads with one client
 * both get the same lock, and one release frees it however often it was got. Give each that should
 * exclude the others a client of its own. Nothing waits at the server and nothing expires; the end
 * of the connection frees everything.
 *
 * <p><b>Connecting</b> starts when the client is made; operations called before it is up wait for
 * it. There is no reconnecting, since a new connection holds nothing: after a {@link
 * LockdConnectionException} every operation fails, and a new client is needed.
 *
 * <p><b>Threads.</b> Any thread may call; operations run one after the other, first come first
 * served. An interrupt ends an operation with {@link LockdInterruptedException}, except {@link
 * #release} and {@link #releaseShared}: these are often called while cleaning up after an
 * interrupt, take their usual, bounded time, and keep the flag.
 *
 * <p><b>Answers.</b> One that does not come within the read timeout, that is about another lock, or
 * that the command cannot have, closes the connection, so that it is never taken for the answer to
 * a later command. A line from the server may have 256 KiB.
 *
 * <p><b>Listings</b> ({@code dump}, {@code dumpShared}, {@code listClients}) have no end in the
 * protocol. The client sends {@code i} with a random name behind each and reads up to its answer,
 * so the server counts one {@code command_i} more, or two where commands sent together get lost, as
 * in glockd; there a listing takes a read timeout. A listing may take 300 read timeouts in all, and
 * the memory of {@link Builder#maxListingBytes}. Its lines are split at the first {@code ": "}, so
 * a lock whose name contains that shows under a shorter name.
 *
 * <p><b>Names</b> are text, sent as UTF-8. CR and LF are refused with {@link
 * IllegalArgumentException}, and so are names that make a command longer than 4095 bytes, the
 * longest every server takes. Runs of blanks become one, those at the ends go: {@link #normalize}
 * shows what is left, which is what listings have. A byte from the server that is not UTF-8 appears
 * as the unpaired surrogate {@code U+DC80} to {@code U+DCFF} that ends in its value; sent back, it
 * is that byte again.
 */
public final class LockdClient implements AutoCloseable {
    private static final int COMMAND_LIMIT = 4095;
    private static final Pattern CONNECTION_NAME = Pattern.compile("[^ ]*:[0-9]+");
    private static final String DUMP_DISABLED = "The dump feature of the lockd server is disabled.";
    private static final String REGISTRY_DISABLED =
            "The registry feature of the lockd server is disabled.";
    private static final String WHO_DISABLED =
            "The dump and/or registry features of the lockd server are disabled.";

    private final LockdChannel lockdChannel;
    private final LockdListenerDispatcher lockdListenerDispatcher;
    private final long maxListingBytes;
    private final ReentrantLock turn = new ReentrantLock(true);

    private LockdClient(LockdServerAddress lockdServerAddress, Builder settings) {
        this.lockdListenerDispatcher =
                new LockdListenerDispatcher(
                        settings.listener, "holdfast-lockd notices " + lockdServerAddress.text());
        this.maxListingBytes = settings.maxListingBytes;
        this.lockdChannel =
                new LockdChannel(
                        lockdServerAddress,
                        settings.connectTimeout,
                        settings.readTimeout,
                        new NoticeForwarder());
    }

    /**
     * Connects over TCP with the usual settings.
     *
     * @param hostAndPort {@code HOST:PORT}, or {@code PORT} alone for this machine
     */
    public static LockdClient connect(String hostAndPort) {
        return builder().connect(hostAndPort);
    }

    /** Connects to a Unix socket with the usual settings. */
    public static LockdClient connectUnix(Path socket) {
        return builder().connectUnix(socket);
    }

    /** Settings for a client, and ways to connect with them. */
    public static Builder builder() {
        return new Builder();
    }

    /** The name as the server knows it: no blanks at the ends, one for each run of them inside. */
    public static String normalize(String name) {
        return LockdNameText.normalize(name);
    }

    /**
     * Gets a lock that is free, or that this client has already.
     *
     * @throws LockdRefusedException if another connection has it
     */
    public LockdReply get(String name) {
        return granted(ask(LockdOperation.GET, name));
    }

    /** As {@link #get}, for those to whom not getting it is an answer. */
    public boolean tryGet(String name) {
        return ask(LockdOperation.GET, name).number() > 0;
    }

    /**
     * Gives a lock up, however often it was got.
     *
     * @throws LockdRefusedException if this client does not have it
     */
    public LockdReply release(String name) {
        return granted(ask(LockdOperation.RELEASE, name));
    }

    /** Tells whether anyone has the lock: 1, or 0 for nobody. */
    public LockdReply inspect(String name) {
        return ask(LockdOperation.INSPECT, name);
    }

    /**
     * Becomes one of the holders of a shared lock. The number is how many there are now.
     *
     * @throws LockdRefusedException if the server has as many locks as it can
     */
    public LockdReply getShared(String name) {
        return granted(ask(LockdOperation.GET_SHARED, name));
    }

    /**
     * Stops being one of the holders.
     *
     * @throws LockdRefusedException if this client is none
     */
    public LockdReply releaseShared(String name) {
        return granted(ask(LockdOperation.RELEASE_SHARED, name));
    }

    /** Tells how many hold the shared lock: the number, or 0 for nobody. */
    public LockdReply inspectShared(String name) {
        return ask(LockdOperation.INSPECT_SHARED, name);
    }

    /**
     * Every exclusive lock and its holder: the registered name if it has one, else its connection
     * name.
     *
     * @throws LockdDisabledException if the server does not allow dumps
     */
    public Map<String, String> dump() {
        Map<String, String> holders = new LinkedHashMap<>();
        return list(
                "d",
                DUMP_DISABLED,
                line -> {
                    int colon = colon("d", line);
                    holders.put(line.substring(0, colon), line.substring(colon + 2));
                },
                Collections.unmodifiableMap(holders));
    }

    /**
     * The holder of one exclusive lock, if anyone has it.
     *
     * @throws LockdDisabledException if the server does not allow dumps
     */
    public Optional<String> dump(String name) {
        String normal = normalize(name);
        if (normal.isEmpty()) { // on the wire that asks for everything
            return Optional.ofNullable(dump().get(normal));
        }
        String command = command("d", normal);
        List<String> holders = new ArrayList<>();
        list(
                command,
                DUMP_DISABLED,
                line -> {
                    if (!holders.isEmpty()) {
                        throw LockdProtocolException.unasked(line);
                    }
                    holders.add(holder(command, normal, line));
                },
                holders);
        return holders.stream().findFirst();
    }

    /**
     * Every shared lock and its holders, in the order in which they came.
     *
     * @throws LockdDisabledException if the server does not allow dumps
     */
    public Map<String, List<String>> dumpShared() {
        Map<String, List<String>> holders = new LinkedHashMap<>();
        list(
                "sd",
                DUMP_DISABLED,
                line -> {
                    int colon = colon("sd", line);
                    holders.computeIfAbsent(line.substring(0, colon), unused -> new ArrayList<>(1))
                            .add(line.substring(colon + 2));
                },
                holders);
        holders.replaceAll((lock, list) -> Collections.unmodifiableList(list));
        return Collections.unmodifiableMap(holders);
    }

    /**
     * The holders of one shared lock, in the order in which they came; none if it is free.
     *
     * @throws LockdDisabledException if the server does not allow dumps
     */
    public List<String> dumpShared(String name) {
        String normal = normalize(name);
        if (normal.isEmpty()) {
            return dumpShared().getOrDefault(normal, List.of());
        }
        String command = command("sd", normal);
        List<String> holders = new ArrayList<>();
        return list(
                command,
                DUMP_DISABLED,
                line -> holders.add(holder(command, normal, line)),
                Collections.unmodifiableList(holders));
    }

    /** What the server calls this connection. */
    public LockdIdentity getName() {
        return run(
                new OneLineExchange<>(
                        "me",
                        line -> {
                            String[] words = line.split(" ", 3);
                            if (words.length < 3
                                    || !words[0].equals("1")
                                    || !CONNECTION_NAME.matcher(words[1]).matches()) {
                                throw LockdProtocolException.unfit("me", line);
                            }
                            return new LockdIdentity(words[1], words[2]);
                        }),
                true);
    }

    /**
     * Registers a name for this connection, which listings then show. Names need not be unique; the
     * empty one clears.
     *
     * @throws LockdDisabledException if the server has no registry
     */
    public LockdReply setName(String name) {
        String command = command("iam", normalize(name));
        LockdReply answer =
                run(
                        new OneLineExchange<>(
                                command,
                                line ->
                                        switch (line) {
                                            case "1 ok" -> new LockdReply(1, "ok");
                                            case "0 disabled" -> new LockdReply(0, "disabled");
                                            default ->
                                                    throw LockdProtocolException.unfit(
                                                            command, line);
                                        }),
                        true);
        if (answer.number() == 0) {
            throw new LockdDisabledException(REGISTRY_DISABLED);
        }
        return answer;
    }

    /**
     * Every registered name and its connection name; of several connections with one name, the last
     * that the server lists.
     *
     * @throws LockdDisabledException if the server does not allow it
     */
    public Map<String, String> listClients() {
        return who("who", "");
    }

    /**
     * The connection name behind a registered name, if there is one; of several, the last that the
     * server lists.
     *
     * @throws LockdDisabledException if the server does not allow it
     */
    public Optional<String> listClients(String name) {
        String normal = normalize(name);
        return Optional.ofNullable(who(command("who", normal), normal).get(normal));
    }

    /** The server's counters, by name. */
    public Map<String, Long> getStats() {
        return run(new StatsExchange(new ListingSizeLimit(maxListingBytes)), true);
    }

    /**
     * Disconnects, which frees everything this client holds. Operations under way in other threads
     * fail with {@link LockdConnectionException}, as do later ones. May be called more than once.
     */
    @Override
    public void close() {
        lockdChannel.close();
        lockdListenerDispatcher.end();
    }

    @Override
    public String toString() {
        return "LockdClient[" + lockdChannel + "]";
    }

    private LockdReply ask(LockdOperation command, String name) {
        String normal = normalize(name);
        boolean givesUp =
                command == LockdOperation.RELEASE || command == LockdOperation.RELEASE_SHARED;
        return run(
                new OneLineExchange<>(
                        command(command.verb(), normal), line -> command.parse(line, normal)),
                !givesUp);
    }

    private static LockdReply granted(LockdReply answer) {
        if (answer.number() == 0) {
            throw new LockdRefusedException(answer);
        }
        return answer;
    }

    private Map<String, String> who(String command, String onlyName) {
        Map<String, String> connections = new LinkedHashMap<>();
        return list(
                command,
                WHO_DISABLED,
                line -> {
                    int colon = colon(command, line);
                    String connection = line.substring(0, colon);
                    String registered = line.substring(colon + 2);
                    if (!CONNECTION_NAME.matcher(connection).matches()
                            || !(onlyName.isEmpty() || registered.equals(onlyName))) {
                        throw LockdProtocolException.unfit(command, line);
                    }
                    connections.put(registered, connection);
                },
                Collections.unmodifiableMap(connections));
    }

    private static int colon(String command, String line) throws LockdProtocolException {
        int colon = line.indexOf(": ");
        if (colon < 0) {
            throw LockdProtocolException.unfit(command, line);
        }
        return colon;
    }

    private static String holder(String command, String name, String line)
            throws LockdProtocolException {
        String start = name + ": ";
        if (!line.startsWith(start)) {
            throw LockdProtocolException.unfit(command, line);
        }
        return line.substring(start.length());
    }

    /** The line to send for a name that is normalised. */
    private static String command(String word, String normal) {
        String command = normal.isEmpty() ? word : word + " " + normal;
        int length = LockdNameText.encode(command).length;
        if (length > COMMAND_LIMIT) {
            throw new IllegalArgumentException(
                    "A command has at most "
                            + COMMAND_LIMIT
                            + " bytes, but with this name it has "
                            + length
                            + ".");
        }
        return command;
    }

    private <T> T list(String command, String disabled, LineSplitter.Sink each, T collected) {
        return run(
                new ListingExchange<>(
                        command, disabled, each, collected, new ListingSizeLimit(maxListingBytes)),
                true);
    }

    private <T> T run(LockdExchange<T> lockdExchange, boolean interruptible) {
        try {
            if (interruptible) {
                turn.lockInterruptibly();
            } else {
                turn.lock();
            }
        } catch (InterruptedException e) {
            throw interrupted("Interrupted before anything was sent", e);
        }
        try {
            lockdChannel.submit(lockdExchange);
            return interruptible ? await(lockdExchange) : lockdExchange.awaitThroughInterrupts();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LockdException failure) {
                failure.fillInStackTrace(); // where the caller is, not the thread that found out
                throw failure;
            }
            throw new IllegalStateException(e);
        } finally {
            turn.unlock();
        }
    }

    private <T> T await(LockdExchange<T> lockdExchange) throws ExecutionException {
        try {
            return lockdExchange.await();
        } catch (InterruptedException e) {
            if (lockdChannel.abandon(lockdExchange)) {
                throw interrupted("Interrupted while waiting for an answer", e);
            }
            Thread.currentThread().interrupt();
            return lockdExchange.awaitThroughInterrupts(); // the answer came in the same instant
        }
    }

    private static LockdInterruptedException interrupted(String text, InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new LockdInterruptedException(text, cause);
    }

    /** Turns what happens to the wire into notices. */
    private final class NoticeForwarder implements LockdChannel.ChannelListener {
        @Override
        public void connected() {
            lockdListenerDispatcher.give(listener -> listener.connected(LockdClient.this));
        }

        @Override
        public void ended(@Nullable LockdException failure) {
            lockdListenerDispatcher.give(
                    listener -> {
                        if (failure == null) {
                            listener.closed(LockdClient.this);
                        } else {
                            listener.failed(LockdClient.this, failure);
                        }
                    });
            lockdListenerDispatcher.end();
        }
    }

    /** Settings of a client. Each {@code connect} makes a new one. */
    public static final class Builder {
        private static final Duration MAX_TIMEOUT = Duration.ofDays(1);
        private static final long DEFAULT_LISTING = 256L * 1024 * 1024;

        private Duration connectTimeout = Duration.ofSeconds(5);
        private Duration readTimeout = Duration.ofSeconds(1);
        private long maxListingBytes =
                Math.min(DEFAULT_LISTING, Runtime.getRuntime().maxMemory() / 4);
        private @Nullable LockdListener listener;

        private Builder() {}

        /** How long connecting may take, the look-up of the host name included: 5 s if not set. */
        public Builder connectTimeout(Duration value) {
            connectTimeout = checked("connectTimeout", value);
            return this;
        }

        /**
         * How long to wait for an answer, or for its next line: 1 s if not set. A missed answer
         * costs the connection and all it holds, so be generous where the way is long. A listing of
         * a glockd takes this long, since nothing marks its end.
         */
        public Builder readTimeout(Duration value) {
            readTimeout = checked("readTimeout", value);
            return this;
        }

        /**
         * How much a listing may hold, counting 100 bytes for each line besides its text: 256 MiB
         * if not set, or a quarter of the heap if that is less. A longer one closes the connection.
         */
        public Builder maxListingBytes(long value) {
            if (value <= 0) {
                throw new IllegalArgumentException(
                        "maxListingBytes must be positive but is " + value);
            }
            maxListingBytes = value;
            return this;
        }

        /** Who hears what happens to the connection: nobody if not set. */
        public Builder listener(LockdListener value) {
            listener = value;
            return this;
        }

        /**
         * Starts connecting over TCP.
         *
         * @param hostAndPort {@code HOST:PORT}, or {@code PORT} alone for this machine
         */
        public LockdClient connect(String hostAndPort) {
            return start(LockdServerAddress.parse(hostAndPort));
        }

        /** Starts connecting to an address, of a Unix socket or of a TCP listener. */
        public LockdClient connect(SocketAddress address) {
            return start(LockdServerAddress.of(address));
        }

        /** Starts connecting to a Unix socket. */
        public LockdClient connectUnix(Path socket) {
            return start(LockdServerAddress.of(socket));
        }

        private LockdClient start(LockdServerAddress lockdServerAddress) {
            var client = new LockdClient(lockdServerAddress, this);
            client.lockdChannel.start();
            return client;
        }

        private static Duration checked(String setting, Duration value) {
            if (value.isZero() || value.isNegative() || value.compareTo(MAX_TIMEOUT) > 0) {
                throw new IllegalArgumentException(
                        setting + " must be positive and at most a day but is " + value);
            }
            return value;
        }
    }
}
