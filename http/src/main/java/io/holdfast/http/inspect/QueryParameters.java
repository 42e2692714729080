package io.holdfast.http.inspect;

import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.Locale;

/** Query parameters that several routes have. */
final class QueryParameters {
    private enum Order {
        ASC,
        DESC
    }

    private QueryParameters() {}

    /** The kind that is asked for; null for all. */
    static @Nullable ResourceKind kind(HttpExchange httpExchange) throws HttpProblem {
        String text = httpExchange.query("kind");
        return text == null ? null : kind(text);
    }

    static ResourceKind kind(String text) throws HttpProblem {
        return switch (text) {
            case "lock" -> ResourceKind.LOCK;
            case "semaphore" -> ResourceKind.SEMAPHORE;
            case "shared" -> ResourceKind.SHARED;
            default -> throw HttpProblem.badRequest("kind must be lock, semaphore or shared");
        };
    }

    /** The namespace that is asked for; null if none is. */
    static @Nullable Namespace namespace(HttpExchange httpExchange) throws HttpProblem {
        String name = httpExchange.query("namespace");
        return name == null ? null : new Namespace(name);
    }

    /** What names must contain, in small letters; null for anything. */
    static @Nullable String search(HttpExchange httpExchange) throws HttpProblem {
        String text = httpExchange.query("q");
        return text == null || text.isEmpty() ? null : text.toLowerCase(Locale.ROOT);
    }

    /** An order as it is asked for; what is equal in it is in the other. */
    static <T> Comparator<T> order(
            HttpExchange httpExchange, Comparator<T> order, Comparator<T> equal)
            throws HttpProblem {
        boolean down = enumParameter(httpExchange, "order", Order.class, Order.ASC) == Order.DESC;
        return (down ? order.reversed() : order).thenComparing(equal);
    }

    static <E extends Enum<E>> E enumParameter(
            HttpExchange httpExchange, String name, Class<E> words, E otherwise)
            throws HttpProblem {
        E word = enumParameter(httpExchange, name, words);
        return word == null ? otherwise : word;
    }

    /** One of a few words; null if there is none. */
    static <E extends Enum<E>> @Nullable E enumParameter(
            HttpExchange httpExchange, String name, Class<E> words) throws HttpProblem {
        String text = httpExchange.query(name);
        if (text == null) {
            return null;
        }
        StringBuilder known = new StringBuilder();
        for (E word : words.getEnumConstants()) {
            String small = word.name().toLowerCase(Locale.ROOT);
            if (small.equals(text)) {
                return word;
            }
            known.append(known.isEmpty() ? "" : " or ").append(small);
        }
        throw HttpProblem.badRequest(name + " must be " + known);
    }
}
