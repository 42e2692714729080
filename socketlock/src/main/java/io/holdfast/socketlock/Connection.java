package io.holdfast.socketlock;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** A client's connection to a primary, which exchanges lines. Used on the I/O thread only. */
final class Connection {
    /** Receives the lines, and is notified of the end of the connection. */
    interface Listener {
        void line(String line);

        /** The connection has ended; called once, but not after {@link Connection#close}. */
        void ended();
    }

    private static final int CHUNK_BYTES = 8192;
    private static final int MAX_CHUNKS = 64;
    private static final int MAX_LINE_BYTES = 64 * 1024;
    private static final int MAX_UNSENT_BYTES = 256 * 1024;

    private final SocketChannel channel;
    private final Listener listener;
    private final SelectionKey key;
    private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);

    /** The incomplete line at the end of the input. */
    private byte[] incompleteLine = new byte[0];

    private byte[] unsent = new byte[0];
    private boolean closed;

    private Connection(IoThread ioThread, SocketChannel channel, Listener listener)
            throws IOException {
        this.channel = channel;
        this.listener = listener;
        this.key = ioThread.register(channel, SelectionKey.OP_READ, this::ready);
    }

    /** Connects without waiting; throws if that is not possible immediately. */
    static Connection open(IoThread ioThread, Path path, Listener listener) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.configureBlocking(false);
            if (!channel.connect(UnixDomainSocketAddress.of(path)) && !channel.finishConnect()) {
                throw new IOException("cannot connect at once");
            }
            return new Connection(ioThread, channel, listener);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Sends lines, including their line ends. */
    void send(String lines) {
        if (closed) {
            return;
        }
        byte[] more = lines.getBytes(StandardCharsets.ISO_8859_1);
        int before = unsent.length;
        unsent = Arrays.copyOf(unsent, before + more.length);
        System.arraycopy(more, 0, unsent, before, more.length);
        if (before == 0) {
            write();
        } else if (unsent.length > MAX_UNSENT_BYTES) {
            fail(); // the primary does not read
        }
    }

    private void write() {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(unsent);
            while (bytes.hasRemaining() && channel.write(bytes) > 0) {
                // on
            }
            unsent = Arrays.copyOfRange(unsent, bytes.position(), unsent.length);
            key.interestOps(
                    unsent.length == 0
                            ? SelectionKey.OP_READ
                            : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        } catch (IOException e) {
            // Responses that have already been sent can still be read; the read then finds the end
            // too.
            unsent = new byte[0];
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    private void ready() {
        if (key.isWritable()) {
            write();
        }
        if (!closed && key.isValid() && key.isReadable()) {
            read();
        }
    }

    /**
     * Reads all available input, including the end of the connection, so that the state is as
     * recent as the poll.
     */
    private void read() {
        try {
            int count = 1;
            for (int i = 0; count > 0 && !closed; i++) {
                if (i == MAX_CHUNKS) {
                    fail(); // more than any primary sends at once
                    return;
                }
                chunk.clear();
                count = channel.read(chunk);
                if (count < 0) {
                    fail();
                } else {
                    take(Arrays.copyOf(chunk.array(), count));
                }
            }
        } catch (IOException e) {
            fail();
        }
    }

    private void take(byte[] bytes) {
        int from = 0;
        for (int i = 0; i < bytes.length && !closed; i++) {
            if (bytes[i] == '\n') {
                String end = new String(bytes, from, i - from, StandardCharsets.ISO_8859_1);
                String line = new String(incompleteLine, StandardCharsets.ISO_8859_1) + end;
                incompleteLine = new byte[0];
                from = i + 1;
                listener.line(line);
            }
        }
        int before = incompleteLine.length;
        incompleteLine = Arrays.copyOf(incompleteLine, before + bytes.length - from);
        System.arraycopy(bytes, from, incompleteLine, before, bytes.length - from);
        if (incompleteLine.length > MAX_LINE_BYTES) {
            fail();
        }
    }

    private void fail() {
        if (!closed) {
            close();
            listener.ended();
        }
    }

    void close() {
        closed = true;
        key.cancel();
        try {
            channel.close();
        } catch (IOException e) {
            // The channel is closed in any case.
        }
    }
}
