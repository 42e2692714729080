package io.holdfast.cluster.rpc;

import jdk.net.ExtendedSocketOptions;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** An open connection. Any thread may send; one thread reads. */
final class RpcConnection implements Closeable {
    private static final int READ_BYTES = 64 * 1024;

    /**
     * The socket's send buffer: sending less than half of it on an idle connection does not block.
     */
    private static final int BUFFER_BYTES = 192 * 1024;

    /** A longer frame is written in pieces, so that progress can be seen. */
    private static final int PIECE_BYTES = 32 * 1024;

    /**
     * The interval of keep-alive probes and the number of unanswered ones after which the
     * connection is closed.
     */
    private static final int KEEP_ALIVE_SECONDS = 5;

    private static final int KEEP_ALIVE_TRIES = 4;

    private final Socket raw;
    private final DataInputStream in;
    private final OutputStream out;
    private final Lock sending = new ReentrantLock();

    /** The version of the frames; 0 before the greetings. */
    private volatile int frameVersion;

    /**
     * @param raw the socket below TLS; closing it does not wait for a thread that is sending
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

    /**
     * Sends the greeting of the opener and reads the answer.
     *
     * @throws RpcRefusedException if one side refuses the other
     */
    void open(Handshake handshake) throws IOException {
        Greeting opener = handshake.greeting();
        out.write(RpcFrame.greeting(opener));
        Greeting acceptor = RpcFrame.readAnswer(in);
        frameVersion = acceptor.frameVersion(opener.node(), opener.known());
        handshake.check(acceptor);
    }

    /** Sends a call and waits for its response, before any other thread uses the connection. */
    byte[] exchange(byte kind, byte[] body) throws IOException {
        send(kind, 0, body);
        RpcFrame response = read();
        if (response.kind != RpcFrame.DONE) {
            throw new RpcRefusedException(new String(response.body, StandardCharsets.UTF_8));
        }
        return response.body;
    }

    /** Reads the greeting of the opener. */
    Greeting readGreeting() throws IOException {
        return RpcFrame.readGreeting(in);
    }

    /**
     * Accepts the opener.
     *
     * @throws RpcRefusedException if there is no version of the frames that both sides know
     */
    void accept(Greeting opener, Greeting acceptor) throws IOException {
        frameVersion = opener.frameVersion(acceptor.node(), acceptor.known());
        out.write(RpcFrame.acceptance(acceptor));
    }

    /** Returns the version of the frames: the highest that both sides know. */
    int frameVersion() {
        return frameVersion;
    }

    void refuse(String reason) throws IOException {
        out.write(RpcFrame.refusal(reason));
    }

    void send(byte kind, long call, byte[] body) throws IOException {
        send(kind, call, body, () -> {});
    }

    /**
     * Sends a frame.
     *
     * @param onProgress called whenever the socket has taken a part of it
     */
    void send(byte kind, long call, byte[] body, Runnable onProgress) throws IOException {
        byte[] frame = RpcFrame.encode(kind, call, body);
        sending.lock();
        try {
            for (int start = 0; start < frame.length; start += PIECE_BYTES) {
                out.write(frame, start, Math.min(PIECE_BYTES, frame.length - start));
                onProgress.run();
            }
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
            // it is unusable in any case
        }
    }
}
