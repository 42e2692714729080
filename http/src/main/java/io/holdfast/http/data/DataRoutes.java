package io.holdfast.http.data;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Command;
import io.holdfast.engine.DataOperation;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;
import io.holdfast.http.inspect.Show;
import io.holdfast.http.lock.Refusals;
import io.holdfast.http.prompt.PromptSession;
import io.holdfast.http.web.Api;
import io.holdfast.http.web.Exchange;
import io.holdfast.http.web.Fields;
import io.holdfast.http.web.Need;
import io.holdfast.http.web.Problem;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

import java.util.Base64;
import java.util.List;

/** Values, counters and lists. */
public final class DataRoutes {
    /** As long as a line of the line protocol, so that everybody can read what is written here. */
    private static final int MOST_BYTES = 256;

    /** How many items one answer has at most. */
    static final int MOST_ITEMS = 10_000;

    private final PromptSession session;

    public DataRoutes(PromptSession session) {
        this.session = session;
    }

    public void addTo(Api api) {
        api.add(HttpMethod.PUT, "/v1/kv/{key}", Need.USE, this::setValue);
        api.add(HttpMethod.GET, "/v1/kv/{key}", Need.USE, this::getValue);
        api.add(HttpMethod.DELETE, "/v1/kv/{key}", Need.USE, this::deleteValue);
        api.add(HttpMethod.GET, "/v1/counters/{key}", Need.USE, this::getCounter);
        api.add(HttpMethod.POST, "/v1/counters/{key}", Need.USE, this::addToCounter);
        api.add(HttpMethod.PUT, "/v1/counters/{key}", Need.USE, this::setCounter);
        api.add(HttpMethod.GET, "/v1/lists/{key}", Need.USE, this::getItems);
        api.add(HttpMethod.POST, "/v1/lists/{key}/push", Need.USE, this::push);
        api.add(HttpMethod.POST, "/v1/lists/{key}/pop", Need.USE, this::pop);
    }

    private void setValue(Exchange exchange) throws Problem {
        Key key = key(exchange);
        Fields body = exchange.body();
        ByteString value = line(body, "value");
        long ttl = body.seconds("ttl_s");
        body.end();
        ask(
                exchange,
                key,
                new DataOperation.SetValue(value, ttl == 0 ? Command.FOREVER : ttl),
                _ -> exchange.noContent());
    }

    private void getValue(Exchange exchange) throws Problem {
        ask(
                exchange,
                key(exchange),
                new DataOperation.GetValue(),
                effect -> {
                    if (!(effect instanceof Effect.Found found)) {
                        throw new Problem(404, "no_value", "there is no value of this name");
                    }
                    exchange.ok(put(new JsonObject(), "value", found.value()));
                });
    }

    private void deleteValue(Exchange exchange) throws Problem {
        ask(exchange, key(exchange), new DataOperation.DeleteValue(), _ -> exchange.noContent());
    }

    private void getCounter(Exchange exchange) throws Problem {
        count(exchange, key(exchange), "value", new DataOperation.GetCounter());
    }

    private void addToCounter(Exchange exchange) throws Problem {
        Key key = key(exchange);
        count(exchange, key, "value", new DataOperation.Increment(number(exchange, "add")));
    }

    private void setCounter(Exchange exchange) throws Problem {
        Key key = key(exchange);
        ask(
                exchange,
                key,
                new DataOperation.SetCounter(number(exchange, "value")),
                _ -> exchange.noContent());
    }

    private void getItems(Exchange exchange) throws Problem {
        Key key = key(exchange);
        int first = exchange.queryInt("first", 0, Integer.MIN_VALUE, Integer.MAX_VALUE);
        int last = exchange.queryInt("last", -1, Integer.MIN_VALUE, Integer.MAX_VALUE);
        ask(
                exchange,
                key,
                new DataOperation.Length(),
                effect -> getItems(exchange, key, first, last, count(effect)));
    }

    private void getItems(Exchange exchange, Key key, int first, int last, long length)
            throws Problem {
        long from = Math.max(first < 0 ? first + length : first, 0);
        long to = Math.min(last < 0 ? last + length : last, length - 1);
        boolean cut = to - from >= MOST_ITEMS;
        long end = cut ? from + MOST_ITEMS - 1 : to; // it is included
        if (from > end) {
            tellItems(exchange, List.of(), length, cut);
            return;
        }
        ask(
                exchange,
                key,
                new DataOperation.Range(from, end),
                effect ->
                        tellItems(
                                exchange,
                                effect instanceof Effect.Items found ? found.items() : List.of(),
                                length,
                                cut));
    }

    private static void tellItems(
            Exchange exchange, List<ByteString> items, long length, boolean cut) {
        exchange.offLoop(
                () -> {
                    JsonArray shown = new JsonArray();
                    items.forEach(item -> shown.add(Show.text(item.bytes())));
                    JsonObject answer = new JsonObject().put("items", shown).put("length", length);
                    return cut ? answer.put("truncated", true) : answer;
                });
    }

    private void push(Exchange exchange) throws Problem {
        Key key = key(exchange);
        Fields body = exchange.body();
        ByteString item = line(body, "item");
        DataOperation.End end = body.word("end", DataOperation.End.class, DataOperation.End.BACK);
        body.end();
        if (item.isEmpty()) {
            throw Problem.badRequest("an item must not be empty");
        }
        count(exchange, key, "length", new DataOperation.Push(end, item));
    }

    private void pop(Exchange exchange) throws Problem {
        Key key = key(exchange);
        Fields body = exchange.optionalBody();
        DataOperation.End end = body.word("end", DataOperation.End.class, DataOperation.End.FRONT);
        body.end();
        ask(
                exchange,
                key,
                new DataOperation.Pop(end),
                effect -> {
                    if (!(effect instanceof Effect.Found found)) {
                        throw new Problem(404, "empty_list", "there is no item in this list");
                    }
                    exchange.ok(put(new JsonObject(), "item", found.value()));
                });
    }

    private void count(Exchange exchange, Key key, String name, DataOperation operation)
            throws Problem {
        ask(
                exchange,
                key,
                operation,
                effect -> exchange.ok(new JsonObject().put(name, count(effect))));
    }

    private static long count(Effect effect) {
        return effect instanceof Effect.Counted counted ? counted.value() : 0;
    }

    /** Answers a request with what it came to. */
    @FunctionalInterface
    private interface Answer {
        void tell(Effect effect) throws Problem;
    }

    private void ask(Exchange exchange, Key key, DataOperation operation, Answer answer)
            throws Problem {
        if (operation.mayCreate() && exchange.web().isDraining()) {
            throw Problem.draining();
        }
        session.ask(
                (id, request) -> new Command.Data(id, request, key, operation),
                effect -> exchange.goOn(() -> tell(effect, answer)));
    }

    private static void tell(@Nullable Effect effect, Answer answer) throws Problem {
        if (effect == null) {
            throw Problem.draining();
        }
        if (effect instanceof Effect.Refused refused) {
            throw problem(refused.reason());
        }
        answer.tell(effect);
    }

    private static Problem problem(Refusal reason) {
        return switch (reason) {
            case TOO_MANY_ENTRIES ->
                    new Problem(503, "max_keys", "no room for another counter, value or list");
            case LIST_FULL -> new Problem(409, "list_full", "the list is as long as it may get");
            case OUT_OF_RANGE ->
                    new Problem(
                            409, "out_of_range", "the counter would leave the range of 64 bits");
            case UNAVAILABLE -> Refusals.problem(reason);
            case NOT_HELD,
                    BUSY,
                    TOO_MANY_KEYS,
                    TOO_MANY_WAITERS,
                    LIMIT_MISMATCH,
                    ALREADY_ENQUEUED,
                    NOT_ENQUEUED ->
                    throw new IllegalStateException("data was refused as " + reason);
        };
    }

    private static Key key(Exchange exchange) throws Problem {
        Key key = exchange.key();
        if (key.bytes().length > MOST_BYTES) {
            throw Problem.badRequest("the name of data may have 256 bytes at most");
        }
        return key;
    }

    private static long number(Exchange exchange, String name) throws Problem {
        Fields body = exchange.body();
        if (!body.has(name)) {
            throw Problem.badRequest(name + " is missing");
        }
        long number = body.integer(name);
        body.end();
        return number;
    }

    /** A text that the line protocol can tell others. */
    private static ByteString line(Fields body, String name) throws Problem {
        ByteString line = ByteString.of(body.text(name));
        if (!Fields.isOneLine(line.bytes()) || line.length() > MOST_BYTES) {
            throw Problem.badRequest(name + " may have 256 bytes at most, and no line break");
        }
        return line;
    }

    private static JsonObject put(JsonObject to, String name, ByteString value) {
        to.put(name, Show.text(value.bytes()));
        if (!Show.isText(value.bytes())) {
            to.put(name + "_base64", Base64.getEncoder().encodeToString(value.bytes()));
        }
        return to;
    }
}
