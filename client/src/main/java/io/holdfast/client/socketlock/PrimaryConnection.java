package io.holdfast.client.socketlock;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.function.Consumer;

/**
 * A client's connection to the primary. Lines are executed one after the other, only as long as the
 * client takes the answers. Of one thread.
 */
final class PrimaryConnection {
    /** With so many bytes of answers waiting, nothing more is read or executed. */
    static final int PAUSE_BYTES = 64 * 1024;

    /** Offers come all the same; with so many bytes waiting the client is given up. */
    static final int MAX_BYTES = 1024 * 1024;

    private final SocketChannel channel;
    private final PrimaryContext desk;
    private final PrimaryProtocolHandler talk;
    private final LineInputBuffer input = new LineInputBuffer();
    private final LineOutputBuffer output = new LineOutputBuffer();
    private @Nullable SelectionKey key;
    private boolean linesWait;
    private boolean isTouched;

    /**
     * @param touched called when there is something to {@link #flush}
     */
    PrimaryConnection(
            SocketChannel channel, PrimaryContext desk, Consumer<PrimaryConnection> touched) {
        this.channel = channel;
        this.desk = desk;
        this.talk =
                new PrimaryProtocolHandler(
                        desk,
                        line -> {
                            output.add(line);
                            if (!isTouched) {
                                isTouched = true;
                                touched.accept(this);
                            }
                        });
    }

    void register(IoThread ioThread, Runnable whenReady) throws IOException {
        key = ioThread.register(channel, SelectionKey.OP_READ, whenReady);
    }

    /**
     * Takes what has come, and answers it.
     *
     * @param piece to read into
     * @return false if this connection is to be closed
     */
    boolean work(ByteBuffer piece) throws IOException {
        output.writeTo(channel);
        if (isPaused()) {
            update();
            return true;
        }
        if (!linesWait) {
            piece.clear();
            if (channel.read(piece) < 0) {
                return false;
            }
            input.add(piece.flip());
        }
        // Behind the read: no time to live may begin before its holder has confirmed.
        boolean goOn = execute(System.nanoTime()) && !input.isTooLong();
        return flush() && goOn;
    }

    private boolean execute(long nowNanos) {
        linesWait = false;
        for (List<String> line = input.next(); line != null; line = input.next()) {
            desk.table().advance(nowNanos);
            if (desk.isLost()) {
                return true; // nobody may be told anything any more
            }
            if (!talk.line(line, nowNanos)) {
                return false;
            }
            desk.table().advance(nowNanos);
            if (isPaused()) {
                linesWait = true; // perhaps
                return true;
            }
        }
        return true;
    }

    private boolean isPaused() {
        return output.size() >= PAUSE_BYTES;
    }

    /**
     * Sends what the client takes now.
     *
     * @return false if it has not taken its lines for so long that it is given up
     */
    boolean flush() throws IOException {
        isTouched = false;
        output.writeTo(channel);
        update();
        return output.size() < MAX_BYTES;
    }

    private void update() {
        boolean read = !linesWait && !isPaused();
        boolean write = linesWait || output.size() > 0;
        if (key != null && key.isValid()) {
            key.interestOps(
                    (read ? SelectionKey.OP_READ : 0) | (write ? SelectionKey.OP_WRITE : 0));
        }
    }

    void close() {
        talk.close();
        try {
            channel.close();
        } catch (IOException e) {
            // It is gone all the same.
        }
    }
}
