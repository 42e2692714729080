package io.holdfast.cluster.rpc;

import jdk.net.ExtendedSocketOptions;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** A connection that is open. Any thread may send; one reads. */
final class RpcConnection implements Closeable {
    private static final int READ_BYTES = 64 * 1024;

    /** Whoever sends less than half of this, and nothing else is on its way, is not held up. */
    private static final int BUFFER_BYTES = 192 * 1024;

    /** A peer that is gone without a word is asked so often, and given up after some times. */
    private static final int KEEP_ALIVE_SECONDS = 5;

    private static final int KEEP_ALIVE_TRIES = 4;

    private final Socket raw;
    private final DataInputStream in;
    private final OutputStream out;
    private final Lock sending = new ReentrantLock();

    /**
     * @param raw what is below it: closing that does not wait for whoever is sending
     */
    RpcConnection(Socket socket, Socket raw) throws IOException {
        this.raw = raw;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), READ_BYTES));
        this.out = socket.getOutputStream();
    }

    static void prepare(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setSendBufferSize(BUFFER_BYTES);
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_SECONDS);
            socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_SECONDS);
            socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_ALIVE_TRIES);
        }
    }

    void greet() throws IOException {
        out.write(RpcFrame.greeting());
    }

    void requireGreeting() throws IOException {
        RpcFrame.requireGreeting(in);
    }

    void send(byte kind, long call, byte[] body) throws IOException {
        byte[] frame = RpcFrame.encode(kind, call, body);
        sending.lock();
        try {
            out.write(frame);
        } finally {
            sending.unlock();
        }
    }

    RpcFrame read() throws IOException {
        return RpcFrame.read(in);
    }

    @Override
    public void close() {
        try {
            raw.close();
        } catch (IOException e) {
            // it is of no use any more either way
        }
    }
}
