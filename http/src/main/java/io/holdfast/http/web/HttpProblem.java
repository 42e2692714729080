package io.holdfast.http.web;

import io.vertx.core.json.JsonObject;

import org.jspecify.annotations.Nullable;

/** Why a request is not done, as its client is told. */
public final class HttpProblem extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;
    private final @Nullable String detail;

    public HttpProblem(int status, String code) {
        this(status, code, null);
    }

    /**
     * @param code what programs go by
     * @param detail what people read
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
        return new HttpProblem(404, "not_found", "there is nothing at this path");
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

    /** As it is told. */
    public JsonObject toJson() {
        JsonObject told =
                new JsonObject()
                        .put("type", "/problems/" + code)
                        .put("title", title())
                        .put("status", status)
                        .put("error", code);
        return detail == null ? told : told.put("detail", detail);
    }

    /** The code in words. */
    private String title() {
        String words = code.replace('_', ' ');
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }
}
