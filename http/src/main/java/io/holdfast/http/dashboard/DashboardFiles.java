package io.holdfast.http.dashboard;

import io.vertx.core.buffer.Buffer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/** The files of the dashboard, each loaded on its first request. Belongs to the event loop. */
final class DashboardFiles {
    private static final int TAG_BYTES = 12;

    private final Map<String, DashboardFile> loaded = new HashMap<>();

    /** The name must be one of {@link DashboardRoutes#FILES}. */
    DashboardFile get(String name) {
        return loaded.computeIfAbsent(name, DashboardFiles::load);
    }

    private static DashboardFile load(String name) {
        try (InputStream in = DashboardFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing");
            }
            byte[] bytes = in.readAllBytes();
            return new DashboardFile(typeOf(name), tagOf(bytes), Buffer.buffer(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String typeOf(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "html" -> "text/html; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "svg" -> "image/svg+xml";
            default -> "text/javascript; charset=utf-8";
        };
    }

    private static String tagOf(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return '"' + HexFormat.of().formatHex(digest, 0, TAG_BYTES) + '"';
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
