package io.holdfast.verification.soak;

import io.holdfast.verification.bench.LineServer;
import io.holdfast.verification.bench.LineServer.Request;

import org.jspecify.annotations.Nullable;

import java.util.function.Function;

/**
 * A fake server that responds correctly to every request of a soak run, except where a test
 * replaces the responses.
 */
final class CorrectServer implements LineServer.Rule {
    private CorrectLocks locks = new CorrectLocks();
    private CorrectData data = new CorrectData();
    private CorrectSignals signals = new CorrectSignals();
    private Function<Request, @Nullable String> lie = _ -> null;

    CorrectServer with(CorrectLocks other) {
        locks = other;
        return this;
    }

    CorrectServer with(CorrectData other) {
        data = other;
        return this;
    }

    CorrectServer with(CorrectSignals other) {
        signals = other;
        return this;
    }

    /** Responds with the result of the function; null means the correct response. */
    CorrectServer except(Function<Request, @Nullable String> other) {
        lie = other;
        return this;
    }

    LineServer start() {
        var sockets = PushSockets.open();
        signals.pushWith(sockets::push);
        return LineServer.start(sockets, this);
    }

    @Override
    public @Nullable String answer(Request request) throws InterruptedException {
        var lied = lie.apply(request);
        if (lied != null) {
            return lied;
        }
        return switch (request.command()) {
            case "listen", "unlisten", "signal" -> signals.answer(request);
            case "incr", "decr", "get", "cset" -> data.answer(request);
            case "kset", "kget", "kdel" -> data.answer(request);
            case "rpush", "lpop", "llen", "lrange" -> data.answer(request);
            case "stats" -> "ok " + stats();
            default -> locks.answer(request);
        };
    }

    @Override
    public void ended(int connection) {
        locks.ended(connection);
        signals.ended(connection);
    }

    String stats() {
        var json = new StringBuilder("{\"connections\":1");
        json.append(",\"locks\":").append(locks.busyLocks());
        json.append(",\"semaphores\":").append(locks.busySemaphores());
        json.append(",\"idle_locks\":[],\"idle_semaphores\":[]");
        data.stats().forEach((name, array) -> json.append(",\"" + name + "\":").append(array));
        return json.append(",\"signal_channels\":").append(signals.stats()).append('}').toString();
    }
}
