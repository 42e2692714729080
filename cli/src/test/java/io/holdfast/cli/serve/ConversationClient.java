package io.holdfast.cli.serve;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** One client of a conversation, on TCP or a Unix socket. Bytes are characters up to U+00FF. */
final class ConversationClient implements Closeable {
    private final SocketChannel channel;
    private final Selector selector = Selector.open();
    private final SelectionKey key;
    private final ByteBuffer piece = ByteBuffer.allocate(65536);
    private String unread = "";
    private boolean ended;
    private boolean waited;

    ConversationClient(SocketAddress server) throws IOException {
        if (server instanceof UnixDomainSocketAddress) {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        } else {
            channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        channel.connect(server);
        channel.configureBlocking(false);
        key = channel.register(selector, SelectionKey.OP_READ);
    }

    void send(String bytes) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1));
        while (rest.hasRemaining()) {
            if (channel.write(rest) == 0) {
                key.interestOps(SelectionKey.OP_WRITE);
                selector.select(_ -> {});
                key.interestOps(SelectionKey.OP_READ);
            }
        }
    }

    /** Returns the next line, without its end. */
    String line(Duration within) throws IOException {
        long deadline = System.nanoTime() + within.toNanos();
        waited = unread.indexOf('\n') < 0 && selector.selectNow(_ -> {}) == 0;
        int feed = unread.indexOf('\n');
        for (; feed < 0; feed = unread.indexOf('\n')) {
            if (ended) {
                throw new ConversationMismatch("connection closed, unread " + quoted(unread));
            }
            if (!receive(deadline)) {
                throw new ConversationMismatch(
                        "no line within " + within + ", unread " + quoted(unread));
            }
        }
        String line = unread.substring(0, feed);
        unread = unread.substring(feed + 1);
        return line;
    }

    /** Returns whether the last line had not arrived yet when it was requested. */
    boolean waited() {
        return waited;
    }

    /** Asserts that the server closes the connection without sending another byte. */
    void expectEnd(Duration within) throws IOException {
        long deadline = System.nanoTime() + within.toNanos();
        while (!ended) {
            if (!receive(deadline)) {
                throw new ConversationMismatch("still open after " + within);
            }
        }
        if (!unread.isEmpty()) {
            throw new ConversationMismatch("closed, but first sent " + quoted(unread));
        }
    }

    /**
     * Asserts that nothing arrives until a time. Bytes first seen after that time may have arrived
     * after it: on a busy machine this method may begin late.
     */
    void expectSilence(long untilNanos) throws IOException {
        boolean silent = unread.isEmpty() && !receive(untilNanos);
        if (!silent && System.nanoTime() - untilNanos < 0) {
            throw new ConversationMismatch(
                    "expected silence, got " + quoted(unread) + (ended ? " and the end" : ""));
        }
    }

    /** Waits for bytes or the end of the stream; false if neither arrives in time. */
    private boolean receive(long deadline) throws IOException {
        long left = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
        if (selector.select(_ -> {}, left) == 0) {
            return false;
        }
        try {
            piece.clear();
            if (channel.read(piece) < 0) {
                ended = true;
            } else {
                unread +=
                        new String(piece.array(), 0, piece.position(), StandardCharsets.ISO_8859_1);
            }
        } catch (IOException e) { // a reset also ends the stream
            ended = true;
        }
        return true;
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\n", "\\n").replace("\r", "\\r") + "\"";
    }

    @Override
    public void close() throws IOException {
        channel.close();
        selector.close();
    }
}
