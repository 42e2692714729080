package io.holdfast.socketlock;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.function.Consumer;

/**
 * A client's connection to the primary. Lines are executed one after the other, and only while the
 * client reads the responses. Used by one thread.
 */
final class PrimaryClientConnection {
    /** With this many bytes of responses buffered, no more lines are read or executed. */
    static final int PAUSE_OUTPUT_BYTES = 64 * 1024;

    /**
     * The maximum of buffered bytes, which unsolicited offers can reach in spite of the pause: then
     * the client is disconnected.
     */
    static final int MAX_OUTPUT_BYTES = 1024 * 1024;

    private final SocketChannel channel;
    private final PrimaryContext context;
    private final PrimaryProtocolHandler handler;
    private final LineInputBuffer input = new LineInputBuffer();
    private final LineOutputBuffer output = new LineOutputBuffer();
    private @Nullable SelectionKey key;
    private boolean linesPending;
    private boolean flushPending;

    /**
     * @param onOutput called when there is something to {@link #flush}
     */
    PrimaryClientConnection(
            SocketChannel channel,
            PrimaryContext context,
            Consumer<PrimaryClientConnection> onOutput) {
        this.channel = channel;
        this.context = context;
        this.handler =
                new PrimaryProtocolHandler(
                        context,
                        line -> {
                            output.add(line);
                            if (!flushPending) {
                                flushPending = true;
                                onOutput.accept(this);
                            }
                        });
    }

    void register(IoThread ioThread, Runnable whenReady) throws IOException {
        key = ioThread.register(channel, SelectionKey.OP_READ, whenReady);
    }

    /**
     * Reads and executes the available lines.
     *
     * @param readBuffer the buffer to read into
     * @return false if this connection must be closed
     */
    boolean serve(ByteBuffer readBuffer) throws IOException {
        output.writeTo(channel);
        if (isPaused()) {
            update();
            return true;
        }
        if (!linesPending) {
            readBuffer.clear();
            if (channel.read(readBuffer) < 0) {
                return false;
            }
            input.add(readBuffer.flip());
        }
        // Taken after the read: a time to live must not start before its holder has confirmed.
        boolean open = execute(System.nanoTime()) && !input.isTooLong();
        return flush() && open;
    }

    private boolean execute(long nowNanos) {
        linesPending = false;
        for (List<String> line = input.next(); line != null; line = input.next()) {
            context.table().advance(nowNanos);
            if (context.isLost()) {
                return true; // no more responses may be sent
            }
            if (!handler.line(line, nowNanos)) {
                return false;
            }
            context.table().advance(nowNanos);
            if (isPaused()) {
                linesPending = true; // possibly
                return true;
            }
        }
        return true;
    }

    private boolean isPaused() {
        return output.size() >= PAUSE_OUTPUT_BYTES;
    }

    /**
     * Writes as much output as the client accepts now.
     *
     * @return false if the client has not read its lines, and must be disconnected
     */
    boolean flush() throws IOException {
        flushPending = false;
        output.writeTo(channel);
        update();
        return output.size() < MAX_OUTPUT_BYTES;
    }

    private void update() {
        boolean read = !linesPending && !isPaused();
        boolean write = linesPending || output.size() > 0;
        if (key != null && key.isValid()) {
            key.interestOps(
                    (read ? SelectionKey.OP_READ : 0) | (write ? SelectionKey.OP_WRITE : 0));
        }
    }

    void close() {
        handler.close();
        try {
            channel.close();
        } catch (IOException e) {
            // The channel is closed in any case.
        }
    }
}
