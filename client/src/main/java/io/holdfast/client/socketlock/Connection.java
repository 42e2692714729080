package io.holdfast.client.socketlock;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** A client's connection: lines out, lines in. Lives on its loop. */
final class Connection {
    /** Hears what comes in. */
    interface Listener {
        void line(String line);

        /** Nothing more comes, and nothing more can be sent; called once, not after a close. */
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

    /** The beginning of a line whose end is still to come. */
    private byte[] begun = new byte[0];

    private byte[] unsent = new byte[0];
    private boolean closed;

    private Connection(IoThread ioThread, SocketChannel channel, Listener listener)
            throws IOException {
        this.channel = channel;
        this.listener = listener;
        this.key = ioThread.register(channel, SelectionKey.OP_READ, this::ready);
    }

    /** Connects at once or not at all. */
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

    /** Sends lines; each has its end. */
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
            fail(); // whoever is there does not read
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
            // What has been answered before can still be read; then the end is seen there too.
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

    /** Everything that is there, the end included: what was read is then no older than the look. */
    private void read() {
        try {
            int count = 1;
            for (int i = 0; count > 0 && !closed; i++) {
                if (i == MAX_CHUNKS) {
                    fail(); // no primary has so much to say
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
                String line = new String(begun, StandardCharsets.ISO_8859_1) + end;
                begun = new byte[0];
                from = i + 1;
                listener.line(line);
            }
        }
        int before = begun.length;
        begun = Arrays.copyOf(begun, before + bytes.length - from);
        System.arraycopy(bytes, from, begun, before, bytes.length - from);
        if (begun.length > MAX_LINE_BYTES) {
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
            // It is gone in any case.
        }
    }
}
