package io.holdfast.http.metrics;

import io.holdfast.http.web.ApiRouter;
import io.vertx.core.http.HttpMethod;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/**
 * Counts responses by method, route and status. Unknown methods and paths are counted together, so
 * clients cannot create new time series.
 */
public final class HttpRequestMetrics implements ApiRouter.Listener {
    private static final Set<HttpMethod> KNOWN =
            Set.of(
                    HttpMethod.GET,
                    HttpMethod.HEAD,
                    HttpMethod.POST,
                    HttpMethod.PUT,
                    HttpMethod.PATCH,
                    HttpMethod.DELETE,
                    HttpMethod.OPTIONS);

    /**
     * The labels of a counter.
     *
     * @param path template of the route
     */
    record Call(String method, String path, int status) {}

    /** The number of responses, and the sum of the response times. */
    static final class ResponseCounter {
        private final LongAdder number = new LongAdder();
        private final LongAdder nanos = new LongAdder();

        long number() {
            return number.sum();
        }

        long nanos() {
            return nanos.sum();
        }
    }

    private final ConcurrentMap<Call, ResponseCounter> counters = new ConcurrentHashMap<>();

    @Override
    public void completed(HttpMethod method, String template, int status, long nanos) {
        String name = KNOWN.contains(method) ? method.name() : "OTHER";
        ResponseCounter responseCounter =
                counters.computeIfAbsent(
                        new Call(name, template, status), _ -> new ResponseCounter());
        responseCounter.number.increment();
        responseCounter.nanos.add(nanos);
    }

    void each(BiConsumer<Call, ResponseCounter> reader) {
        for (Map.Entry<Call, ResponseCounter> entry : counters.entrySet()) {
            reader.accept(entry.getKey(), entry.getValue());
        }
    }
}
