package io.holdfast.http.web;

/** Answers the requests of a route. Called on the event loop: must not block. */
@FunctionalInterface
public interface RouteHandler {
    /** Answers now or later; a problem that is thrown is the answer. */
    void handle(HttpExchange httpExchange) throws HttpProblem;
}
