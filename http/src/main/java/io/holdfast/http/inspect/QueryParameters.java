package io.holdfast.http.inspect;

import io.holdfast.engine.Namespace;
import io.holdfast.engine.ResourceKind;
import io.holdfast.http.web.HttpExchange;
import io.holdfast.http.web.HttpProblem;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.Locale;

/** Query parameters that several routes share. */
final class QueryParameters {
    private enum Order {
        ASC,
        DESC
    }

    private QueryParameters() {}

    /** The requested kind; null for all. */
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

    /** The requested namespace; null if the parameter is missing. */
    static @Nullable Namespace namespace(HttpExchange httpExchange) throws HttpProblem {
        String name = httpExchange.query("namespace");
        return name == null ? null : new Namespace(name);
    }

    /** The text that names must contain, in lower case; null for any. */
    static @Nullable String search(HttpExchange httpExchange) throws HttpProblem {
        String text = httpExchange.query("q");
        return text == null || text.isEmpty() ? null : text.toLowerCase(Locale.ROOT);
    }

    /**
     * The requested direction of an order; items that are equal in it are ordered by {@code
     * tieBreak}.
     */
    static <T> Comparator<T> order(
            HttpExchange httpExchange, Comparator<T> order, Comparator<T> tieBreak)
            throws HttpProblem {
        boolean descending =
                enumParameter(httpExchange, "order", Order.class, Order.ASC) == Order.DESC;
        return (descending ? order.reversed() : order).thenComparing(tieBreak);
    }

    static <E extends Enum<E>> E enumParameter(
            HttpExchange httpExchange, String name, Class<E> type, E defaultValue)
            throws HttpProblem {
        E value = enumParameter(httpExchange, name, type);
        return value == null ? defaultValue : value;
    }

    /** A parameter that must be a name of a constant in lower case; null if it is missing. */
    static <E extends Enum<E>> @Nullable E enumParameter(
            HttpExchange httpExchange, String name, Class<E> type) throws HttpProblem {
        String text = httpExchange.query(name);
        if (text == null) {
            return null;
        }
        StringBuilder known = new StringBuilder();
        for (E value : type.getEnumConstants()) {
            String label = value.name().toLowerCase(Locale.ROOT);
            if (label.equals(text)) {
                return value;
            }
            known.append(known.isEmpty() ? "" : " or ").append(label);
        }
        throw HttpProblem.badRequest(name + " must be " + known);
    }
}
