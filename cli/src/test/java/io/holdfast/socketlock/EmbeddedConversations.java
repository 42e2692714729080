package io.holdfast.socketlock;

import io.holdfast.socketlock.internal.primary.PrimaryLock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The embedded primary without sockets and clock: lines in, lines out. In this package because its
 * parts are package-private.
 */
public final class EmbeddedConversations {
    /**
     * A line to a client.
     *
     * @param text the line without the client's id
     */
    public record SentLine(int client, String text) {}

    /** Shared by all instances; its lock file is not used otherwise. */
    private static final PrimaryLock PRIMARY_LOCK = takePrimaryLock();

    private static final String ID = "me";

    private final PrimaryContext context;
    private final Map<Integer, PrimaryProtocolHandler> handlers = new HashMap<>();
    private final List<SentLine> sent = new ArrayList<>();

    public EmbeddedConversations(LockConfig config) {
        context =
                new PrimaryContext(
                        config, PRIMARY_LOCK, new LockEventDispatcher(config.listener()), 0);
    }

    private static PrimaryLock takePrimaryLock() {
        try {
            Path folder = Files.createTempDirectory("socketlock");
            Path socket = folder.resolve("s");
            folder.toFile().deleteOnExit();
            folder.resolve("s.lock").toFile().deleteOnExit();
            if (PrimaryLock.tryTake(socket)
                    instanceof PrimaryLock.Attempt.Taken(PrimaryLock primaryLock)) {
                return primaryLock;
            }
            throw new IOException("cannot take the primary lock of " + socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Handles a line of a client, after a HELLO if it is the first one; returns all lines sent. */
    public List<SentLine> line(int client, String text, long nowNanos) {
        PrimaryProtocolHandler handler = handlers.get(client);
        if (handler == null) {
            handler =
                    new PrimaryProtocolHandler(
                            context, line -> sent.add(new SentLine(client, withoutId(line))));
            handlers.put(client, handler);
            handler.line(List.of(ID, "HELLO"), nowNanos);
            sent.clear();
        }
        byte[] bytes = (ID + " " + text).getBytes(StandardCharsets.ISO_8859_1);
        context.table().advance(nowNanos);
        handler.line(PrimarySyntax.fields(bytes, 0, bytes.length), nowNanos);
        return advance(nowNanos);
    }

    private static String withoutId(String line) {
        return line.substring(ID.length() + 1);
    }

    /** Closes the connection; returns all lines sent. */
    public List<SentLine> close(int client, long nowNanos) {
        PrimaryProtocolHandler handler = handlers.remove(client);
        if (handler != null) {
            handler.close();
        }
        return advance(nowNanos);
    }

    /** Advances the time; returns all lines sent. */
    public List<SentLine> advance(long nowNanos) {
        context.table().advance(nowNanos);
        List<SentLine> all = List.copyOf(sent);
        sent.clear();
        return all;
    }

    /** Whether nothing is queued, offered or held. */
    public boolean isEmpty() {
        return context.table().size() == 0;
    }
}
