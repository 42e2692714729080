package io.holdfast.http.web;

/** Serves the requests of a route. Called on the event loop: must not block. */
@FunctionalInterface
public interface RouteHandler {
    /** Responds now or later; a problem that is thrown becomes the response. */
    void handle(HttpExchange httpExchange) throws HttpProblem;
}
