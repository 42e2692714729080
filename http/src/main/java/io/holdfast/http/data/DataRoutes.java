package io.holdfast.http.data;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.http.immediate.SharedImmediateSession;
import io.holdfast.http.inspect.JsonFormat;
import io.holdfast.http.lock.RefusalProblems;
import io.holdfast.http.web.ApiRouter;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;
import io.holdfast.http.web.JsonBody;
import io.holdfast.http.web.RoutePermission;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.util.Base64;
import java.util.List;

/** The routes of values, counters and lists. */
public final class DataRoutes {
    /**
     * Maximum length in bytes of names, values and items: that of a line in dflockd's line
     * protocol, so that its clients can use the same data.
     */
    private static final int MAX_BYTES = 256;

    /** Maximum number of items in one response. */
    static final int MAX_ITEMS = 10_000;

    private final SharedImmediateSession session;

    public DataRoutes(SharedImmediateSession session) {
        this.session = session;
    }

    public void addTo(ApiRouter apiRouter) {
        apiRouter.add(HttpMethod.PUT, "/v1/kv/{key}", RoutePermission.USE, this::setValue);
        apiRouter.add(HttpMethod.GET, "/v1/kv/{key}", RoutePermission.USE, this::getValue);
        apiRouter.add(HttpMethod.DELETE, "/v1/kv/{key}", RoutePermission.USE, this::deleteValue);
        apiRouter.add(HttpMethod.GET, "/v1/counters/{key}", RoutePermission.USE, this::getCounter);
        apiRouter.add(
                HttpMethod.POST, "/v1/counters/{key}", RoutePermission.USE, this::addToCounter);
        apiRouter.add(HttpMethod.PUT, "/v1/counters/{key}", RoutePermission.USE, this::setCounter);
        apiRouter.add(HttpMethod.GET, "/v1/lists/{key}", RoutePermission.USE, this::getItems);
        apiRouter.add(HttpMethod.POST, "/v1/lists/{key}/push", RoutePermission.USE, this::push);
        apiRouter.add(HttpMethod.POST, "/v1/lists/{key}/pop", RoutePermission.USE, this::pop);
    }

    private void setValue(HttpExchange httpExchange) throws HttpProblem {
        Key key = key(httpExchange);
        JsonBody body = httpExchange.body();
        ByteString value = oneLine(body, "value");
        long ttl = body.seconds("ttl_s");
        body.end();
        execute(
                httpExchange,
                key,
                new DataOperation.SetValue(value, ttl == 0 ? Command.FOREVER : ttl),
                _ -> httpExchange.noContent());
    }

    private void getValue(HttpExchange httpExchange) throws HttpProblem {
        execute(
                httpExchange,
                key(httpExchange),
                new DataOperation.GetValue(),
                effect -> {
                    if (!(effect instanceof Effect.Found found)) {
                        throw new HttpProblem(404, "no_value", "there is no value with this name");
                    }
                    httpExchange.ok(put(new JsonObject(), "value", found.value()));
                });
    }

    private void deleteValue(HttpExchange httpExchange) throws HttpProblem {
        execute(
                httpExchange,
                key(httpExchange),
                new DataOperation.DeleteValue(),
                _ -> httpExchange.noContent());
    }

    private void getCounter(HttpExchange httpExchange) throws HttpProblem {
        count(httpExchange, key(httpExchange), "value", new DataOperation.GetCounter());
    }

    private void addToCounter(HttpExchange httpExchange) throws HttpProblem {
        Key key = key(httpExchange);
        count(httpExchange, key, "value", new DataOperation.Increment(number(httpExchange, "add")));
    }

    private void setCounter(HttpExchange httpExchange) throws HttpProblem {
        Key key = key(httpExchange);
        execute(
                httpExchange,
                key,
                new DataOperation.SetCounter(number(httpExchange, "value")),
                _ -> httpExchange.noContent());
    }

    private void getItems(HttpExchange httpExchange) throws HttpProblem {
        Key key = key(httpExchange);
        int first = httpExchange.queryInt("first", 0, Integer.MIN_VALUE, Integer.MAX_VALUE);
        int last = httpExchange.queryInt("last", -1, Integer.MIN_VALUE, Integer.MAX_VALUE);
        execute(
                httpExchange,
                key,
                new DataOperation.Length(),
                effect -> getItems(httpExchange, key, first, last, count(effect)));
    }

    private void getItems(HttpExchange httpExchange, Key key, int first, int last, long length)
            throws HttpProblem {
        long from = Math.max(first < 0 ? first + length : first, 0);
        long to = Math.min(last < 0 ? last + length : last, length - 1);
        boolean truncated = to - from >= MAX_ITEMS;
        long end = truncated ? from + MAX_ITEMS - 1 : to; // inclusive
        if (from > end) {
            sendItems(httpExchange, List.of(), length, truncated);
            return;
        }
        execute(
                httpExchange,
                key,
                new DataOperation.Range(from, end),
                effect ->
                        sendItems(
                                httpExchange,
                                effect instanceof Effect.Items found ? found.items() : List.of(),
                                length,
                                truncated));
    }

    private static void sendItems(
            HttpExchange httpExchange, List<ByteString> items, long length, boolean truncated) {
        httpExchange.offLoop(
                () -> {
                    JsonArray array = new JsonArray();
                    items.forEach(item -> array.add(JsonFormat.text(item.bytes())));
                    JsonObject body = new JsonObject().put("items", array).put("length", length);
                    return truncated ? body.put("truncated", true) : body;
                });
    }

    private void push(HttpExchange httpExchange) throws HttpProblem {
        Key key = key(httpExchange);
        JsonBody body = httpExchange.body();
        ByteString item = oneLine(body, "item");
        DataOperation.End end =
                body.enumValue("end", DataOperation.End.class, DataOperation.End.BACK);
        body.end();
        if (item.isEmpty()) {
            throw HttpProblem.badRequest("an item must not be empty");
        }
        count(httpExchange, key, "length", new DataOperation.Push(end, item));
    }

    private void pop(HttpExchange httpExchange) throws HttpProblem {
        Key key = key(httpExchange);
        JsonBody body = httpExchange.optionalBody();
        DataOperation.End end =
                body.enumValue("end", DataOperation.End.class, DataOperation.End.FRONT);
        body.end();
        execute(
                httpExchange,
                key,
                new DataOperation.Pop(end),
                effect -> {
                    if (!(effect instanceof Effect.Found found)) {
                        throw new HttpProblem(404, "empty_list", "there is no item in this list");
                    }
                    httpExchange.ok(put(new JsonObject(), "item", found.value()));
                });
    }

    private void count(HttpExchange httpExchange, Key key, String name, DataOperation operation)
            throws HttpProblem {
        execute(
                httpExchange,
                key,
                operation,
                effect -> httpExchange.ok(new JsonObject().put(name, count(effect))));
    }

    private static long count(Effect effect) {
        return effect instanceof Effect.Counted counted ? counted.value() : 0;
    }

    /** Responds with the result of an operation. */
    @FunctionalInterface
    private interface Responder {
        void respond(Effect effect) throws HttpProblem;
    }

    private void execute(
            HttpExchange httpExchange, Key key, DataOperation operation, Responder responder)
            throws HttpProblem {
        if (operation.mayCreate() && httpExchange.web().isDraining()) {
            throw HttpProblem.draining();
        }
        session.execute(
                (id, request) -> new Command.Data(id, request, key, operation),
                effect -> httpExchange.resume(() -> respond(effect, responder)));
    }

    private static void respond(@Nullable Effect effect, Responder responder) throws HttpProblem {
        if (effect == null) {
            throw HttpProblem.draining();
        }
        if (effect instanceof Effect.Refused refused) {
            throw RefusalProblems.problem(refused.reason());
        }
        responder.respond(effect);
    }

    private static Key key(HttpExchange httpExchange) throws HttpProblem {
        Key key = httpExchange.key();
        if (key.bytes().length > MAX_BYTES) {
            throw HttpProblem.badRequest("the name must have at most 256 bytes");
        }
        return key;
    }

    private static long number(HttpExchange httpExchange, String name) throws HttpProblem {
        JsonBody body = httpExchange.body();
        if (!body.has(name)) {
            throw HttpProblem.badRequest(name + " is missing");
        }
        long number = body.integer(name);
        body.end();
        return number;
    }

    /** A text that fits into a line of dflockd's line protocol. */
    private static ByteString oneLine(JsonBody body, String name) throws HttpProblem {
        ByteString line = ByteString.of(body.text(name));
        if (!JsonBody.isOneLine(line.bytes()) || line.length() > MAX_BYTES) {
            throw HttpProblem.badRequest(name + " must have at most 256 bytes, and no line break");
        }
        return line;
    }

    private static JsonObject put(JsonObject to, String name, ByteString value) {
        to.put(name, JsonFormat.text(value.bytes()));
        if (!JsonFormat.isText(value.bytes())) {
            to.put(name + "_base64", Base64.getEncoder().encodeToString(value.bytes()));
        }
        return to;
    }
}
