package io.holdfast.verification.campaign;

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

/**
 * Forwards the connections that one node opens to another. Blocked data is delayed, not dropped, as
 * in TCP.
 */
final class NetworkProxy implements Closeable {
    private static final int BUFFER = 64 * 1024;
    private static final int CONNECT_MILLIS = 2000;

    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final NetworkDirection forward;
    private final NetworkDirection backward;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    NetworkProxy(
            InetSocketAddress at,
            InetSocketAddress target,
            NetworkDirection forward,
            NetworkDirection backward)
            throws IOException {
        this.target = target;
        this.forward = forward;
        this.backward = backward;
        listener = new ServerSocket();
        listener.setReuseAddress(true);
        try {
            listener.bind(at);
        } catch (IOException e) {
            listener.close();
            throw new IOException("cannot listen on " + at + ": " + FailureText.of(e), e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket near = listener.accept();
                open.add(near);
                Thread.ofVirtual().start(() -> connect(near));
            } catch (IOException e) {
                // the proxy is closed, or the client has disconnected
            }
        }
    }

    private void connect(Socket near) {
        Socket far = new Socket();
        open.add(far);
        try {
            forward.pass();
            far.connect(target, CONNECT_MILLIS);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            Thread.ofVirtual().start(() -> copy(far, near, backward));
            copy(near, far, forward);
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
            // one side has closed its connection; close the other one too
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
                // closed nevertheless
            }
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            // closed nevertheless
        }
        close(open.toArray(new Socket[0]));
    }
}
