package io.holdfast.lockd;

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
 * <p><b>Holding.</b> Locks belong to the connection, not to a thread: two threads that share a
 * client both get the same lock, and one release frees it, however often it was acquired. Threads
 * that should exclude each other need a client each. The server has no queue and no leases; the end
 * of the connection releases everything.
 *
 * <p><b>Connecting</b> starts when the client is created; operations called before it is
 * established wait for it. There is no reconnecting, since a new connection holds nothing: after a
 * {@link LockdConnectionException} every operation fails, and a new client is needed.
 *
 * <p><b>Threads.</b> The client is thread-safe; operations run one after the other, first come
 * first served. An interrupt ends an operation with {@link LockdInterruptedException}, except
 * {@link #release} and {@link #releaseShared}: these are often called while cleaning up after an
 * interrupt, complete within the timeouts, and leave the interrupt flag set.
 *
 * <p><b>Responses.</b> A response that does not arrive within the read timeout, that is about
 * another lock, or that does not fit the command closes the connection, so that it is never taken
 * for the response to a later command. A line from the server may have up to 256 KiB.
 *
 * <p><b>Listings</b> ({@code dump}, {@code dumpShared}, {@code listClients}) have no end in the
 * protocol. The client sends {@code i} with a random name after each and reads up to its response,
 * so the server counts one more {@code command_i}, or two where commands sent together get lost, as
 * in glockd; there a listing takes at least one read timeout. A listing may take up to 300 read
 * timeouts in total, and the memory of {@link Builder#maxListingBytes}. Its lines are split at the
 * first {@code ": "}, so a lock whose name contains that appears under a truncated name.
 *
 * <p><b>Names</b> are text, sent as UTF-8. CR and LF are refused with {@link
 * IllegalArgumentException}, and so are names that make a command longer than 4095 bytes, the
 * longest that every server accepts. Runs of whitespace become one space, and whitespace at both
 * ends is removed: {@link #normalize} returns the result, which is what listings contain. A byte
 * from the server that is not valid UTF-8 is decoded to the unpaired surrogate {@code U+DC00} plus
 * the byte, {@code U+DC80} to {@code U+DCFF}, and encoded back to that byte.
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
    private final ReentrantLock exclusive = new ReentrantLock(true);

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
     * Connects over TCP with the default settings.
     *
     * @param hostAndPort {@code HOST:PORT}, or {@code PORT} alone for this machine
     */
    public static LockdClient connect(String hostAndPort) {
        return builder().connect(hostAndPort);
    }

    /** Connects to a Unix socket with the default settings. */
    public static LockdClient connectUnix(Path socket) {
        return builder().connectUnix(socket);
    }

    /** A builder with the default settings. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The name as the server stores it: without whitespace at both ends, and with one space for
     * each run of whitespace inside.
     */
    public static String normalize(String name) {
        return LockdNameText.normalize(name);
    }

    /**
     * Acquires a lock that is free or that this client already holds; does not wait.
     *
     * @throws LockdRefusedException if another connection holds it
     */
    public LockdReply get(String name) {
        return granted(send(LockdOperation.GET, name));
    }

    /**
     * As {@link #get}, but returns false instead of throwing if another connection holds the lock.
     */
    public boolean tryGet(String name) {
        return send(LockdOperation.GET, name).number() > 0;
    }

    /**
     * Releases a lock, however often it was acquired.
     *
     * @throws LockdRefusedException if this client does not hold it
     */
    public LockdReply release(String name) {
        return granted(send(LockdOperation.RELEASE, name));
    }

    /** Whether the lock is held: the number is 1 if it is, otherwise 0. */
    public LockdReply inspect(String name) {
        return send(LockdOperation.INSPECT, name);
    }

    /**
     * Acquires a shared lock, together with its other holders. The number is that of the holders
     * now.
     *
     * @throws LockdRefusedException if the server has reached its limit of locks
     */
    public LockdReply getShared(String name) {
        return granted(send(LockdOperation.GET_SHARED, name));
    }

    /**
     * Releases a shared lock.
     *
     * @throws LockdRefusedException if this client does not hold it
     */
    public LockdReply releaseShared(String name) {
        return granted(send(LockdOperation.RELEASE_SHARED, name));
    }

    /** The number of holders of the shared lock, 0 if it is free. */
    public LockdReply inspectShared(String name) {
        return send(LockdOperation.INSPECT_SHARED, name);
    }

    /**
     * Every exclusive lock with its holder: the registered name of the connection, or else its
     * connection name.
     *
     * @throws LockdDisabledException if the server does not allow dumps
     */
    public Map<String, String> dump() {
        Map<String, String> holders = new LinkedHashMap<>();
        return list(
                "d",
                DUMP_DISABLED,
                line -> {
                    int separator = separator("d", line);
                    holders.put(line.substring(0, separator), line.substring(separator + 2));
                },
                Collections.unmodifiableMap(holders));
    }

    /**
     * The holder of one exclusive lock, if it is held.
     *
     * @throws LockdDisabledException if the server does not allow dumps
     */
    public Optional<String> dump(String name) {
        String normalized = normalize(name);
        if (normalized.isEmpty()) { // on the wire this would request all locks
            return Optional.ofNullable(dump().get(normalized));
        }
        String command = command("d", normalized);
        List<String> holders = new ArrayList<>();
        list(
                command,
                DUMP_DISABLED,
                line -> {
                    if (!holders.isEmpty()) {
                        throw LockdProtocolException.unexpected(line);
                    }
                    holders.add(holder(command, normalized, line));
                },
                holders);
        return holders.stream().findFirst();
    }

    /**
     * Every shared lock with its holders, in the order of their grants.
     *
     * @throws LockdDisabledException if the server does not allow dumps
     */
    public Map<String, List<String>> dumpShared() {
        Map<String, List<String>> holders = new LinkedHashMap<>();
        list(
                "sd",
                DUMP_DISABLED,
                line -> {
                    int separator = separator("sd", line);
                    holders.computeIfAbsent(
                                    line.substring(0, separator), unused -> new ArrayList<>(1))
                            .add(line.substring(separator + 2));
                },
                holders);
        holders.replaceAll((lock, list) -> Collections.unmodifiableList(list));
        return Collections.unmodifiableMap(holders);
    }

    /**
     * The holders of one shared lock, in the order of their grants; empty if it is free.
     *
     * @throws LockdDisabledException if the server does not allow dumps
     */
    public List<String> dumpShared(String name) {
        String normalized = normalize(name);
        if (normalized.isEmpty()) {
            return dumpShared().getOrDefault(normalized, List.of());
        }
        String command = command("sd", normalized);
        List<String> holders = new ArrayList<>();
        return list(
                command,
                DUMP_DISABLED,
                line -> holders.add(holder(command, normalized, line)),
                Collections.unmodifiableList(holders));
    }

    /** The connection name and the registered name of this connection. */
    public LockdIdentity getName() {
        return run(
                new OneLineExchange<>(
                        "me",
                        line -> {
                            String[] fields = line.split(" ", 3);
                            if (fields.length < 3
                                    || !fields[0].equals("1")
                                    || !CONNECTION_NAME.matcher(fields[1]).matches()) {
                                throw LockdProtocolException.mismatch("me", line);
                            }
                            return new LockdIdentity(fields[1], fields[2]);
                        }),
                true);
    }

    /**
     * Registers a name for this connection, which listings then show. Names need not be unique; an
     * empty name removes the registration.
     *
     * @throws LockdDisabledException if the server has no registry
     */
    public LockdReply setName(String name) {
        String command = command("iam", normalize(name));
        LockdReply reply =
                run(
                        new OneLineExchange<>(
                                command,
                                line ->
                                        switch (line) {
                                            case "1 ok" -> new LockdReply(1, "ok");
                                            case "0 disabled" -> new LockdReply(0, "disabled");
                                            default ->
                                                    throw LockdProtocolException.mismatch(
                                                            command, line);
                                        }),
                        true);
        if (reply.number() == 0) {
            throw new LockdDisabledException(REGISTRY_DISABLED);
        }
        return reply;
    }

    /**
     * Every registered name with its connection name; if several connections have the same name,
     * the last one in the server's listing.
     *
     * @throws LockdDisabledException if the server does not allow it
     */
    public Map<String, String> listClients() {
        return who("who", "");
    }

    /**
     * The connection name of a registered name, if there is one; of several, the last one in the
     * server's listing.
     *
     * @throws LockdDisabledException if the server does not allow it
     */
    public Optional<String> listClients(String name) {
        String normalized = normalize(name);
        return Optional.ofNullable(who(command("who", normalized), normalized).get(normalized));
    }

    /** The server's counters, by name. */
    public Map<String, Long> getStats() {
        return run(new StatsExchange(new ListingSizeLimit(maxListingBytes)), true);
    }

    /**
     * Disconnects, which releases everything that this client holds. Operations in flight in other
     * threads fail with {@link LockdConnectionException}, as do later ones. Idempotent.
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

    private LockdReply send(LockdOperation command, String name) {
        String normalized = normalize(name);
        boolean isRelease =
                command == LockdOperation.RELEASE || command == LockdOperation.RELEASE_SHARED;
        return run(
                new OneLineExchange<>(
                        command(command.verb(), normalized),
                        line -> command.parse(line, normalized)),
                !isRelease);
    }

    private static LockdReply granted(LockdReply reply) {
        if (reply.number() == 0) {
            throw new LockdRefusedException(reply);
        }
        return reply;
    }

    private Map<String, String> who(String command, String onlyName) {
        Map<String, String> connections = new LinkedHashMap<>();
        return list(
                command,
                WHO_DISABLED,
                line -> {
                    int separator = separator(command, line);
                    String connection = line.substring(0, separator);
                    String registered = line.substring(separator + 2);
                    if (!CONNECTION_NAME.matcher(connection).matches()
                            || !(onlyName.isEmpty() || registered.equals(onlyName))) {
                        throw LockdProtocolException.mismatch(command, line);
                    }
                    connections.put(registered, connection);
                },
                Collections.unmodifiableMap(connections));
    }

    private static int separator(String command, String line) throws LockdProtocolException {
        int separator = line.indexOf(": ");
        if (separator < 0) {
            throw LockdProtocolException.mismatch(command, line);
        }
        return separator;
    }

    private static String holder(String command, String name, String line)
            throws LockdProtocolException {
        String start = name + ": ";
        if (!line.startsWith(start)) {
            throw LockdProtocolException.mismatch(command, line);
        }
        return line.substring(start.length());
    }

    /** The command line for a normalized name. */
    private static String command(String verb, String normalized) {
        String command = normalized.isEmpty() ? verb : verb + " " + normalized;
        int length = LockdNameText.encode(command).length;
        if (length > COMMAND_LIMIT) {
            throw new IllegalArgumentException(
                    "A command may have up to "
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
                exclusive.lockInterruptibly();
            } else {
                exclusive.lock();
            }
        } catch (InterruptedException e) {
            throw interrupted("Interrupted before anything was sent", e);
        }
        try {
            lockdChannel.submit(lockdExchange);
            return interruptible ? await(lockdExchange) : lockdExchange.awaitUninterruptibly();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof LockdException failure) {
                failure.fillInStackTrace(); // the stack trace of the caller, not of the channel's
                // thread
                throw failure;
            }
            throw new IllegalStateException(e);
        } finally {
            exclusive.unlock();
        }
    }

    private <T> T await(LockdExchange<T> lockdExchange) throws ExecutionException {
        try {
            return lockdExchange.await();
        } catch (InterruptedException e) {
            if (lockdChannel.abandon(lockdExchange)) {
                throw interrupted("Interrupted while waiting for a response", e);
            }
            Thread.currentThread().interrupt();
            return lockdExchange.awaitUninterruptibly(); // the response has arrived just now
        }
    }

    private static LockdInterruptedException interrupted(String text, InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new LockdInterruptedException(text, cause);
    }

    /** Translates the events of the channel into calls of the listener. */
    private final class NoticeForwarder implements LockdChannel.ChannelListener {
        @Override
        public void connected() {
            lockdListenerDispatcher.dispatch(listener -> listener.connected(LockdClient.this));
        }

        @Override
        public void ended(@Nullable LockdException failure) {
            lockdListenerDispatcher.dispatch(
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

    /** Settings of a client. Each {@code connect} creates a new client. */
    public static final class Builder {
        private static final Duration MAX_TIMEOUT = Duration.ofDays(1);
        private static final long DEFAULT_LISTING = 256L * 1024 * 1024;

        private Duration connectTimeout = Duration.ofSeconds(5);
        private Duration readTimeout = Duration.ofSeconds(1);
        private long maxListingBytes =
                Math.min(DEFAULT_LISTING, Runtime.getRuntime().maxMemory() / 4);
        private @Nullable LockdListener listener;

        private Builder() {}

        /** How long connecting may take, including the lookup of the host name: 5 s by default. */
        public Builder connectTimeout(Duration value) {
            connectTimeout = checked("connectTimeout", value);
            return this;
        }

        /**
         * How long to wait for a response, or for its next line: 1 s by default. A response that is
         * late closes the connection and so loses its holds; use a longer timeout on slow networks.
         * A listing of a glockd takes this long, since its end is not marked.
         */
        public Builder readTimeout(Duration value) {
            readTimeout = checked("readTimeout", value);
            return this;
        }

        /**
         * The maximum size of a listing, counting 100 bytes for each line in addition to its text:
         * 256 MiB by default, or a quarter of the heap if that is less. A larger listing closes the
         * connection.
         */
        public Builder maxListingBytes(long value) {
            if (value <= 0) {
                throw new IllegalArgumentException(
                        "maxListingBytes must be positive but is " + value);
            }
            maxListingBytes = value;
            return this;
        }

        /** Is notified of the events of the connection: none by default. */
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
