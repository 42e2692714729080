package io.holdfast.cluster.bootstrap;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A slow way to one port of this machine: all connections through it share one rate in the
 * direction of the port, first come first served, as the packets of a link do.
 */
final class LimitedLink implements Closeable {
    private static final int PIECE = 8 * 1024;

    /** What the sender of a connection may have sent ahead. */
    private static final int RECEIVE_BUFFER = 64 * 1024;

    /** A rate that several links may share. Thread-safe. */
    static final class Rate {
        private final long nanosPerByte;
        private long freeNanos = System.nanoTime();

        Rate(long bitsPerSecond) {
            nanosPerByte = 8_000_000_000L / bitsPerSecond;
        }

        /** Returns when the last of these bytes has passed. */
        void pass(int bytes) throws InterruptedException {
            long wait;
            synchronized (this) {
                long now = System.nanoTime();
                freeNanos = Math.max(now, freeNanos) + bytes * nanosPerByte;
                wait = freeNanos - now;
            }
            TimeUnit.NANOSECONDS.sleep(wait);
        }
    }

    private final ServerSocket listener = new ServerSocket();
    private final InetSocketAddress target;
    private final Rate rate;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    LimitedLink(int targetPort, Rate rate) throws IOException {
        this.target = new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort);
        this.rate = rate;
        listener.setReceiveBufferSize(RECEIVE_BUFFER);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread.startVirtualThread(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket near = listener.accept();
                open.add(near);
                Thread.startVirtualThread(() -> forward(near));
            } catch (IOException e) {
                // the link is closed
            }
        }
    }

    private void forward(Socket near) {
        try (near;
                Socket far = new Socket()) {
            open.add(far);
            far.connect(target);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            Thread back = Thread.startVirtualThread(() -> copy(far, near, false));
            copy(near, far, true);
            back.join();
            open.remove(far);
        } catch (IOException | InterruptedException e) {
            // as if the network had closed the connection
        } finally {
            open.remove(near);
        }
    }

    private void copy(Socket from, Socket to, boolean limited) {
        byte[] buffer = new byte[PIECE];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                if (limited) {
                    rate.pass(count);
                }
                out.write(buffer, 0, count);
            }
        } catch (IOException | InterruptedException e) {
            // one side has closed its connection
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
