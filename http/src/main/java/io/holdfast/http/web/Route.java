package io.holdfast.http.web;

import io.vertx.core.http.HttpMethod;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A method of a path.
 *
 * @param template such as {@code /v1/locks/{key}/release}
 */
public record Route(
        HttpMethod method, String template, RoutePermission need, RouteHandler handler) {
    private static final Pattern SLASH = Pattern.compile("/");

    /** The segments of the template. */
    List<String> segments() {
        return List.of(SLASH.split(template.substring(1), -1));
    }
}
