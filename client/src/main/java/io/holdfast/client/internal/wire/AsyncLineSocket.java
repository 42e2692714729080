package io.holdfast.client.internal.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A connection with a writer thread, so that sending never blocks. A server that does not read is
 * detected by the reading side.
 */
final class AsyncLineSocket implements AutoCloseable {
    private static final byte[] END = {}; // no request is empty
    private static final int BATCH = 64 * 1024;

    private final LineSocket socket;
    private final BlockingQueue<byte[]> queue = new LinkedBlockingQueue<>();
    private final Thread writer;

    AsyncLineSocket(LineSocket socket) {
        this.socket = socket;
        this.writer = new Thread(this::write, "holdfast writer " + socket.address());
        writer.setDaemon(true);
        writer.start();
    }

    /** {@code host:port} of the server. */
    String address() {
        return socket.address();
    }

    /** Queues a complete request, including its line ends. */
    void send(String lines) {
        queue.add(lines.getBytes(StandardCharsets.UTF_8));
    }

    String readLine() throws IOException {
        return socket.readLine();
    }

    /** Closes the connection; queued requests that have not been written are discarded. */
    @Override
    public void close() {
        socket.close();
        queue.add(END);
    }

    void join(long millis) throws InterruptedException {
        writer.join(millis);
    }

    private void write() {
        var batch = new ByteArrayOutputStream();
        try {
            byte[] next = queue.take();
            while (next.length > 0) {
                batch.writeBytes(next);
                byte[] more = batch.size() < BATCH ? queue.poll() : null;
                if (more == null) {
                    socket.write(batch.toByteArray());
                    batch.reset();
                    more = queue.take();
                }
                next = more;
            }
        } catch (IOException | InterruptedException e) {
            socket.close();
        }
    }
}
