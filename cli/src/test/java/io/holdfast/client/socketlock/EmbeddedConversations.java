package io.holdfast.client.socketlock;

import io.holdfast.client.socketlock.primary.PrimaryLock;

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
 * The embedded primary without its sockets and its clock: lines in, lines out. Here because its
 * parts are for this package alone.
 */
public final class EmbeddedConversations {
    /**
     * A line to a client.
     *
     * @param text without the client's id
     */
    public record Said(int client, String text) {}

    /** Taken once: what is listed there is nobody's affair. */
    private static final PrimaryLock SEAT = takeSeat();

    private static final String ID = "me";

    private final PrimaryContext desk;
    private final Map<Integer, PrimaryProtocolHandler> talks = new HashMap<>();
    private final List<Said> said = new ArrayList<>();

    public EmbeddedConversations(LockConfig config) {
        desk = new PrimaryContext(config, SEAT, new LockEventDispatcher(config.listener()), 0);
    }

    private static PrimaryLock takeSeat() {
        try {
            Path folder = Files.createTempDirectory("socketlock");
            Path socket = folder.resolve("s");
            folder.toFile().deleteOnExit();
            folder.resolve("s.lock").toFile().deleteOnExit();
            if (PrimaryLock.tryTake(socket)
                    instanceof PrimaryLock.Attempt.Taken(PrimaryLock primaryLock)) {
                return primaryLock;
            }
            throw new IOException("no seat at " + socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A line of a client, which has greeted if it has not before; and all that is said then. */
    public List<Said> line(int client, String text, long nowNanos) {
        PrimaryProtocolHandler talk = talks.get(client);
        if (talk == null) {
            talk =
                    new PrimaryProtocolHandler(
                            desk, line -> said.add(new Said(client, withoutId(line))));
            talks.put(client, talk);
            talk.line(List.of(ID, "HELLO"), nowNanos);
            said.clear();
        }
        byte[] bytes = (ID + " " + text).getBytes(StandardCharsets.ISO_8859_1);
        desk.table().advance(nowNanos);
        talk.line(PrimarySyntax.fields(bytes, 0, bytes.length), nowNanos);
        return settle(nowNanos);
    }

    private static String withoutId(String line) {
        return line.substring(ID.length() + 1);
    }

    /** The connection ends. */
    public List<Said> close(int client, long nowNanos) {
        PrimaryProtocolHandler talk = talks.remove(client);
        if (talk != null) {
            talk.close();
        }
        return settle(nowNanos);
    }

    /** Time has passed. */
    public List<Said> settle(long nowNanos) {
        desk.table().advance(nowNanos);
        List<Said> all = List.copyOf(said);
        said.clear();
        return all;
    }

    /** Whether nothing is held, offered or awaited. */
    public boolean isEmpty() {
        return desk.table().size() == 0;
    }
}
