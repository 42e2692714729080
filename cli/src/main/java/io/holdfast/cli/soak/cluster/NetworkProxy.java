package io.holdfast.cli.soak.cluster;

import io.holdfast.driver.FailureText;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Passes on the connections that one node opens to another. What is blocked waits, as in TCP. */
final class NetworkProxy implements Closeable {
    private static final int BUFFER = 64 * 1024;
    private static final int CONNECT_MILLIS = 2000;

    private final ServerSocket door;
    private final InetSocketAddress target;
    private final NetworkDirection there;
    private final NetworkDirection back;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    NetworkProxy(
            InetSocketAddress at,
            InetSocketAddress target,
            NetworkDirection there,
            NetworkDirection back)
            throws IOException {
        this.target = target;
        this.there = there;
        this.back = back;
        door = new ServerSocket();
        door.setReuseAddress(true);
        try {
            door.bind(at);
        } catch (IOException e) {
            door.close();
            throw new IOException("cannot listen on " + at + ": " + FailureText.of(e), e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket near = door.accept();
                open.add(near);
                Thread.ofVirtual().start(() -> connect(near));
            } catch (IOException e) {
                // closed, or the other side went away
            }
        }
    }

    private void connect(Socket near) {
        Socket far = new Socket();
        open.add(far);
        try {
            there.pass();
            far.connect(target, CONNECT_MILLIS);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            Thread.ofVirtual().start(() -> copy(far, near, back));
            copy(near, far, there);
        } catch (IOException e) {
            close(near, far);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void copy(Socket from, Socket to, NetworkDirection networkDirection) {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                networkDirection.pass();
                out.write(buffer, 0, count);
            }
            networkDirection.pass();
        } catch (IOException e) {
            // one of them went away, and so does the other
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close(from, to);
        }
    }

    private void close(Socket... sockets) {
        for (Socket socket : sockets) {
            open.remove(socket);
            try {
                socket.close();
            } catch (IOException e) {
                // it is closed all the same
            }
        }
    }

    @Override
    public void close() {
        try {
            door.close();
        } catch (IOException e) {
            // it is closed all the same
        }
        close(open.toArray(new Socket[0]));
    }
}
