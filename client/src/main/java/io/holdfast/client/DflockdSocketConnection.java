package io.holdfast.client;

import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.wire.PipelinedPlainConnection;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The commands of dflockd over one plain connection. */
final class DflockdSocketConnection implements DflockdConnection {
    private static final long MAX_SECONDS = 9_223_372_036L;

    private final PipelinedPlainConnection connection;
    private final Duration readTimeout;

    private DflockdSocketConnection(PipelinedPlainConnection connection, Duration readTimeout) {
        this.connection = connection;
        this.readTimeout = readTimeout;
    }

    static DflockdConnection open(ServiceConfig config) {
        try {
            return new DflockdSocketConnection(
                    PipelinedPlainConnection.open(config), config.readTimeout());
        } catch (ServiceException e) {
            throw ClientExceptions.of(e, "connect", ClientSettings.text(config.addresses().get(0)));
        }
    }

    private String sendAndRead(String command, String key, String argument, long waitSeconds) {
        var what = command + " " + key;
        long nanos = SaturatedNanos.saturated(readTimeout.plusSeconds(waitSeconds));
        var valueOrFailure = ClientCore.await(connection.send(command, key, argument), nanos);
        if (valueOrFailure == null) {
            connection.close(); // a late response would be taken for that of the next request
            throw new OutcomeUnknownException(
                    what + " at " + connection.address() + ": no response within the timeout",
                    null);
        }
        var line = valueOrFailure.value();
        if (line == null) {
            var failure = valueOrFailure.failure();
            throw ClientExceptions.of(
                    failure == null ? new IllegalStateException("no response") : failure,
                    what,
                    connection.address());
        }
        return line;
    }

    private Optional<String> send(String command, String key, String argument) {
        return ImmediateCommands.read(
                sendAndRead(command, key, argument, 0), command + " " + key, connection.address());
    }

    private long number(String command, String key, String argument) {
        try {
            return Long.parseLong(send(command, key, argument).orElse(""));
        } catch (NumberFormatException e) {
            throw new OutcomeUnknownException(
                    command + " " + key + ": the response is not a number", null);
        }
    }

    private Optional<Grant> grant(String command, String key, String argument, long seconds) {
        var line = sendAndRead(command, ArgumentValidation.key(key), argument, seconds);
        if (line.equals("timeout") || line.equals("queued")) {
            return Optional.empty();
        }
        var fields = line.split(" ", -1);
        boolean granted = fields[0].equals("ok") || fields[0].equals("acquired");
        if (granted && fields.length == 3 && fields[2].matches("[0-9]{1,10}")) {
            return Optional.of(new Grant(fields[1], Long.parseLong(fields[2])));
        }
        throw line.startsWith("error")
                ? ClientExceptions.refused(command + " " + key, connection.address(), line)
                : new OutcomeUnknownException(command + " " + key + ": unexpected response", null);
    }

    /** Sends a release: true for {@code ok}, false for {@code error}. */
    private boolean held(String command, String key, String token) {
        var line =
                sendAndRead(
                        command, ArgumentValidation.key(key), ArgumentValidation.token(token), 0);
        if (line.equals("ok") || line.equals("error")) {
            return line.equals("ok");
        }
        throw ClientExceptions.refused(command + " " + key, connection.address(), line);
    }

    private Optional<Long> lease(String command, String key, String token, long leaseSeconds) {
        var line =
                sendAndRead(
                        command,
                        ArgumentValidation.key(key),
                        ArgumentValidation.token(token) + lease(leaseSeconds),
                        0);
        if (line.matches("ok [0-9]{1,10}")) {
            return Optional.of(Long.parseLong(line.substring(3)));
        }
        if (line.equals("error")) {
            return Optional.empty();
        }
        throw ClientExceptions.refused(command + " " + key, connection.address(), line);
    }

    private static String lease(long seconds) {
        return seconds == 0 ? "" : " " + seconds("leaseSeconds", seconds);
    }

    private static long seconds(String name, long seconds) {
        if (seconds < 0 || seconds > MAX_SECONDS) {
            throw new IllegalArgumentException(
                    name + " must be 0 to " + MAX_SECONDS + " but is " + seconds);
        }
        return seconds;
    }

    private static long limit(long limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1 but is " + limit);
        }
        return limit;
    }

    @Override
    public Optional<Grant> lock(String key, long timeoutSeconds, long leaseSeconds) {
        long timeout = seconds("timeoutSeconds", timeoutSeconds);
        return grant("l", key, timeout + lease(leaseSeconds), timeout);
    }

    @Override
    public boolean release(String key, String token) {
        return held("r", key, token);
    }

    @Override
    public Optional<Long> renew(String key, String token, long leaseSeconds) {
        return lease("n", key, token, leaseSeconds);
    }

    @Override
    public Optional<Grant> enqueue(String key, long leaseSeconds) {
        return grant("e", key, lease(leaseSeconds).strip(), 0);
    }

    @Override
    public Optional<Grant> await(String key, long timeoutSeconds) {
        long timeout = seconds("timeoutSeconds", timeoutSeconds);
        return grant("w", key, Long.toString(timeout), timeout);
    }

    @Override
    public Optional<Grant> semaphoreLock(
            String key, long timeoutSeconds, long limit, long leaseSeconds) {
        long timeout = seconds("timeoutSeconds", timeoutSeconds);
        return grant("sl", key, timeout + " " + limit(limit) + lease(leaseSeconds), timeout);
    }

    @Override
    public boolean semaphoreRelease(String key, String token) {
        return held("sr", key, token);
    }

    @Override
    public Optional<Long> semaphoreRenew(String key, String token, long leaseSeconds) {
        return lease("sn", key, token, leaseSeconds);
    }

    @Override
    public Optional<Grant> semaphoreEnqueue(String key, long limit, long leaseSeconds) {
        return grant("se", key, limit(limit) + lease(leaseSeconds), 0);
    }

    @Override
    public Optional<Grant> semaphoreAwait(String key, long timeoutSeconds) {
        long timeout = seconds("timeoutSeconds", timeoutSeconds);
        return grant("sw", key, Long.toString(timeout), timeout);
    }

    @Override
    public long incr(String key, long by) {
        return number("incr", ArgumentValidation.key(key), Long.toString(by));
    }

    @Override
    public long decr(String key, long by) {
        return number("decr", ArgumentValidation.key(key), Long.toString(by));
    }

    @Override
    public long get(String key) {
        return number("get", ArgumentValidation.key(key), "_");
    }

    @Override
    public void cset(String key, long value) {
        send("cset", ArgumentValidation.key(key), Long.toString(value));
    }

    @Override
    public void kset(String key, String value, long ttlSeconds) {
        send(
                "kset",
                ArgumentValidation.key(key),
                ArgumentValidation.value(value, seconds("ttlSeconds", ttlSeconds)));
    }

    @Override
    public Optional<String> kget(String key) {
        return send("kget", ArgumentValidation.key(key), "_");
    }

    @Override
    public void kdel(String key) {
        send("kdel", ArgumentValidation.key(key), "_");
    }

    @Override
    public long lpush(String key, String item) {
        return number("lpush", ArgumentValidation.key(key), ArgumentValidation.item(item));
    }

    @Override
    public long rpush(String key, String item) {
        return number("rpush", ArgumentValidation.key(key), ArgumentValidation.item(item));
    }

    @Override
    public Optional<String> lpop(String key) {
        return send("lpop", ArgumentValidation.key(key), "_");
    }

    @Override
    public Optional<String> rpop(String key) {
        return send("rpop", ArgumentValidation.key(key), "_");
    }

    @Override
    public long llen(String key) {
        return number("llen", ArgumentValidation.key(key), "_");
    }

    @Override
    public List<String> lrange(String key, long first, long last) {
        return DataCommands.strings(
                send("lrange", ArgumentValidation.key(key), first + " " + last).orElse("[]"), key);
    }

    @Override
    public long signal(String channel, String payload) {
        return number(
                "signal",
                ArgumentValidation.channel(channel),
                ArgumentValidation.payload(channel, payload));
    }

    @Override
    public void listen(String pattern, String group) {
        send("listen", ArgumentValidation.key("pattern", pattern), ArgumentValidation.group(group));
    }

    @Override
    public void unlisten(String pattern, String group) {
        send(
                "unlisten",
                ArgumentValidation.key("pattern", pattern),
                ArgumentValidation.group(group));
    }

    @Override
    public Optional<Signals.Message> nextSignal(Duration timeout) throws InterruptedException {
        return connection
                .nextSignal(
                        Duration.ofNanos(SaturatedNanos.capped(SaturatedNanos.waiting(timeout))))
                .map(DflockdSocketConnection::message);
    }

    private static Signals.Message message(String line) {
        int space = line.indexOf(' ', 4);
        return space < 0
                ? new Signals.Message(line.substring(4), "")
                : new Signals.Message(line.substring(4, space), line.substring(space + 1));
    }

    @Override
    public void ping() {
        send("ping", "_", "_");
    }

    @Override
    public String stats() {
        return send("stats", "_", "_").orElse("");
    }

    @Override
    public void close() {
        connection.close();
    }

    @Override
    public String toString() {
        return "DflockdConnection[" + connection.address() + "]";
    }
}
