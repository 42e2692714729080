package io.holdfast.http.inspect;

import io.holdfast.driver.Driver;
import io.holdfast.driver.signal.ChannelView;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.Key;
import io.holdfast.engine.view.CounterView;
import io.holdfast.engine.view.ListView;
import io.holdfast.engine.view.ResourceView;
import io.holdfast.engine.view.ValueView;
import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.holdfast.http.web.RoutePermission;
import io.holdfast.protocol.dflockd.DflockdStats;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.buffer.BufferInternal;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

/** Serves the same JSON object as the stats command of dflockd's line protocol, in chunks. */
final class StatsRoute {
    private static final Logger LOG = LoggerFactory.getLogger(StatsRoute.class);
    private static final String JSON = "application/json";
    private static final int PIECE_BYTES = 32 * 1024;
    private static final long STUCK_SECONDS = 30;
    private static final int MAX_AT_ONCE = 16;

    /** The prefix of the line in dflockd's line protocol, which is removed. */
    private static final int OK_BYTES = "ok ".length();

    private final Semaphore writing = new Semaphore(MAX_AT_ONCE);

    void addTo(ApiRouter apiRouter) {
        apiRouter.add(HttpMethod.GET, "/v1/stats", RoutePermission.READ, this::stats);
    }

    /**
     * A slow client keeps its request open for long, so the number of concurrent requests is
     * limited.
     */
    private void stats(HttpExchange httpExchange) throws HttpProblem {
        if (!writing.tryAcquire()) {
            throw new HttpProblem(503, "busy", "too many concurrent requests for stats");
        }
        Thread.startVirtualThread(
                () -> {
                    Writing response = new Writing(httpExchange);
                    try {
                        response.run();
                    } catch (Throwable e) {
                        LOG.atError()
                                .setCause(e)
                                .log("writing the response of GET /v1/stats failed");
                        httpExchange.web().runOnEventLoop(response::fail);
                    } finally {
                        writing.release();
                    }
                });
    }

    /** One response, written by a thread of its own. */
    private static final class Writing {
        private final HttpExchange httpExchange;
        private final DflockdStats stats = new DflockdStats();
        private ByteBuf out = Unpooled.buffer(1024);
        private boolean begun;

        Writing(HttpExchange httpExchange) {
            this.httpExchange = httpExchange;
        }

        void run() {
            stats.begin(httpExchange.backend().connections().get(), out);
            out.skipBytes(OK_BYTES);
            for (DflockdStats.Part part : DflockdStats.Part.values()) {
                stats.begin(part, out);
                if (!write(part)) {
                    return;
                }
                stats.end(part, out);
            }
            stats.end(out);
            Buffer rest = BufferInternal.buffer(out);
            httpExchange.web().runOnEventLoop(() -> end(rest));
        }

        void fail() {
            if (begun) {
                httpExchange.reset();
            } else {
                httpExchange.fail(new HttpProblem(500, "internal", "the server has a fault"));
            }
        }

        private void end(Buffer rest) {
            if (begun) {
                httpExchange.response().end(rest);
            } else {
                httpExchange.respond(200, JSON, rest);
            }
        }

        private boolean write(DflockdStats.Part part) {
            Driver driver = httpExchange.backend().driver();
            return switch (part) {
                case LOCKS, SEMAPHORES ->
                        write(
                                driver.queries().listInUse(),
                                ResourceView::key,
                                view -> stats.write(part, view, out));
                case IDLE_LOCKS, IDLE_SEMAPHORES ->
                        write(
                                driver.queries().listIdle(),
                                ResourceView::key,
                                view -> stats.write(part, view, out));
                case COUNTERS ->
                        write(
                                driver.queries().listCounters(),
                                CounterView::key,
                                view -> stats.write(view, out));
                case VALUES ->
                        write(
                                driver.queries().listValues(),
                                ValueView::key,
                                view -> stats.write(view, out));
                case LISTS ->
                        write(
                                driver.queries().listLists(),
                                ListView::key,
                                view -> stats.write(view, out));
                case SIGNAL_CHANNELS ->
                        write(
                                driver.signals().list(),
                                ChannelView::pattern,
                                view ->
                                        stats.writeChannel(
                                                view.pattern(),
                                                view.group(),
                                                view.listeners(),
                                                out));
            };
        }

        private <T> boolean write(ScanCursor<T> all, Function<T, Key> keyOf, Consumer<T> writer) {
            try (ScanCursor<T> scanCursor = all) {
                for (List<T> slice = scanCursor.next();
                        !slice.isEmpty();
                        slice = scanCursor.next()) {
                    for (T view : slice) {
                        if (keyOf.apply(view).namespace().equals(httpExchange.namespace())) {
                            writer.accept(view);
                        }
                    }
                    if (out.readableBytes() >= PIECE_BYTES && !send()) {
                        return false;
                    }
                }
                return true;
            }
        }

        /**
         * Sends the buffered bytes and waits until they are written; false if the client is gone or
         * too slow.
         */
        private boolean send() {
            Buffer piece = BufferInternal.buffer(out);
            out = Unpooled.buffer(PIECE_BYTES);
            CompletableFuture<Boolean> written = new CompletableFuture<>();
            httpExchange.web().runOnEventLoop(() -> send(piece, written));
            try {
                return written.get(STUCK_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                return false;
            } catch (TimeoutException e) {
                httpExchange.web().runOnEventLoop(() -> httpExchange.reset());
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        private void send(Buffer piece, CompletableFuture<Boolean> written) {
            HttpServerResponse response = httpExchange.response();
            if (httpExchange.isGone() || response.ended()) {
                written.complete(false);
                return;
            }
            if (!begun) {
                begun = true;
                response.setChunked(true)
                        .putHeader(HttpHeaders.CONTENT_TYPE, JSON)
                        .putHeader("X-Content-Type-Options", "nosniff");
            }
            response.write(piece).onComplete(done -> written.complete(done.succeeded()));
        }
    }
}
