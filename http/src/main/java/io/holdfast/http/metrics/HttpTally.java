package io.holdfast.http.metrics;

import io.holdfast.http.web.Api;
import io.vertx.core.http.HttpMethod;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;

/** Counts answers. There are as many numbers as routes and statuses, whatever clients send. */
public final class HttpTally implements Api.Listener {
    private static final Set<HttpMethod> KNOWN =
            Set.of(
                    HttpMethod.GET,
                    HttpMethod.HEAD,
                    HttpMethod.POST,
                    HttpMethod.PUT,
                    HttpMethod.PATCH,
                    HttpMethod.DELETE,
                    HttpMethod.OPTIONS);

    /** What is counted together. */
    record Call(String method, String path, int status) {}

    /** How often it was answered, and how long that took. */
    static final class Answers {
        private final LongAdder number = new LongAdder();
        private final LongAdder nanos = new LongAdder();

        long number() {
            return number.sum();
        }

        long nanos() {
            return nanos.sum();
        }
    }

    private final ConcurrentMap<Call, Answers> calls = new ConcurrentHashMap<>();

    @Override
    public void answered(HttpMethod method, String template, int status, long nanos) {
        String name = KNOWN.contains(method) ? method.name() : "OTHER";
        Answers answers =
                calls.computeIfAbsent(new Call(name, template, status), _ -> new Answers());
        answers.number.increment();
        answers.nanos.add(nanos);
    }

    void each(BiConsumer<Call, Answers> reader) {
        for (Map.Entry<Call, Answers> entry : calls.entrySet()) {
            reader.accept(entry.getKey(), entry.getValue());
        }
    }
}
