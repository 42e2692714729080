package io.holdfast.http.web;

import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

/** An error response. */
public final class HttpProblem extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final @Nullable String detail;

    public HttpProblem(int status, String code) {
        this(status, code, null);
    }

    /**
     * @param code for programs
     * @param detail for people
     */
    public HttpProblem(int status, String code, @Nullable String detail) {
        super(code, null, false, false);
        this.status = status;
        this.code = code;
        this.detail = detail;
    }

    public static HttpProblem badRequest(String detail) {
        return new HttpProblem(400, "bad_request", detail);
    }

    public static HttpProblem notFound() {
        return new HttpProblem(404, "not_found", "no such path");
    }

    public static HttpProblem draining() {
        return new HttpProblem(503, "draining", "the server is shutting down");
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    public @Nullable String detail() {
        return detail;
    }

    /** The body of the response (RFC 9457). */
    public JsonObject toJson() {
        JsonObject json =
                new JsonObject()
                        .put("type", "/problems/" + code)
                        .put("title", title())
                        .put("status", status)
                        .put("error", code);
        return detail == null ? json : json.put("detail", detail);
    }

    /** The code as a phrase. */
    private String title() {
        String words = code.replace('_', ' ');
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }
}
