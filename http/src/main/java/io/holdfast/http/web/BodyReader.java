package io.holdfast.http.web;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;

import org.jspecify.annotations.Nullable;

/**
 * Reads request bodies, with limits on the size and time of each and on the memory of all. Belongs
 * to the event loop.
 */
final class BodyReader {
    static final int MAX_BYTES = 1 << 20;
    private static final long MAX_MILLIS = 60_000;

    private final Vertx vertx;
    private final long maxTotalBytes;
    private long totalBytes;

    BodyReader(Vertx vertx, long maxTotalBytes) {
        this.vertx = vertx;
        this.maxTotalBytes = maxTotalBytes;
    }

    /** Receives a body, or the error. */
    interface BodyConsumer {
        void read(Buffer body);

        void failed(HttpProblem httpProblem);
    }

    /** Starts to read the body of a request; called when its head has arrived. */
    void read(HttpExchange httpExchange, HttpServerRequest request, BodyConsumer bodyConsumer) {
        Reading reading = new Reading(request, bodyConsumer);
        httpExchange.onGone(reading::stop);
        reading.begin();
    }

    private final class Reading {
        final HttpServerRequest request;
        Buffer body = Buffer.buffer();
        @Nullable BodyConsumer consumer;
        long timer = -1;

        Reading(HttpServerRequest request, BodyConsumer bodyConsumer) {
            this.request = request;
            this.consumer = bodyConsumer;
        }

        void begin() {
            if (declared() > MAX_BYTES) {
                fail(HttpProblem.badRequest("the body is longer than 1 MiB"));
                return;
            }
            timer =
                    vertx.setTimer(
                            MAX_MILLIS,
                            _ -> fail(new HttpProblem(408, "timeout", "the body took too long")));
            request.handler(this::add);
            request.endHandler(_ -> end());
            if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
                request.response().writeContinue();
            }
        }

        private long declared() {
            String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
            try {
                return length == null ? 0 : Long.parseLong(length);
            } catch (NumberFormatException e) {
                return Long.MAX_VALUE;
            }
        }

        private void add(Buffer bytes) {
            if (consumer == null) {
                return; // the rest of the body is discarded
            }
            if (body.length() + bytes.length() > MAX_BYTES) {
                fail(HttpProblem.badRequest("the body is longer than 1 MiB"));
            } else if (totalBytes + bytes.length() > maxTotalBytes) {
                fail(new HttpProblem(503, "busy", "too many large requests at once"));
            } else {
                totalBytes += bytes.length();
                body.appendBuffer(bytes);
            }
        }

        private void end() {
            Buffer whole = body;
            BodyConsumer next = stop();
            if (next != null) {
                next.read(whole);
            }
        }

        private void fail(HttpProblem httpProblem) {
            BodyConsumer next = stop();
            if (next != null) {
                next.failed(httpProblem);
            }
        }

        private @Nullable BodyConsumer stop() {
            BodyConsumer last = consumer;
            consumer = null;
            if (last != null) {
                totalBytes -= body.length();
                body = Buffer.buffer(); // frees the memory: the request may wait for long
                vertx.cancelTimer(timer);
            }
            return last;
        }
    }
}
