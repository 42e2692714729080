package io.holdfast.lockd;

import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A server that is scripted by a test. Every connection runs the script from its start. */
final class FakeServer implements AutoCloseable {
    /** Handles one connection; when it returns, the connection is closed. */
    interface Script {
        void play(Peer peer) throws Exception;
    }

    private final ServerSocketChannel listener;
    private final Script script;
    private final List<SocketChannel> channels = new CopyOnWriteArrayList<>();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final List<String> received = new CopyOnWriteArrayList<>();

    private FakeServer(ServerSocketChannel listener, Script script) {
        this.listener = listener;
        this.script = script;
    }

    static FakeServer tcp(Script script) throws IOException {
        return start(ServerSocketChannel.open(), loopback(), script);
    }

    static FakeServer unix(Path path, Script script) throws IOException {
        return start(
                ServerSocketChannel.open(StandardProtocolFamily.UNIX),
                UnixDomainSocketAddress.of(path),
                script);
    }

    /**
     * A server that responds to each line with this function, also to lines that arrive together.
     */
    static FakeServer responding(Function<String, String> responses) throws IOException {
        return tcp(peer -> peer.respondToAll(responses));
    }

    static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static FakeServer start(
            ServerSocketChannel listener, SocketAddress address, Script script) throws IOException {
        listener.bind(address);
        var server = new FakeServer(listener, script);
        server.spawn(server::accept);
        return server;
    }

    SocketAddress address() throws IOException {
        return listener.getLocalAddress();
    }

    String hostAndPort() throws IOException {
        return "127.0.0.1:" + ((InetSocketAddress) address()).getPort();
    }

    /** All lines received, over all connections. */
    List<String> received() {
        return received;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (SocketChannel channel : channels) {
            channel.close();
        }
        await().until(() -> threads.stream().noneMatch(Thread::isAlive));
        for (Throwable failure : failures) {
            throw new AssertionError("The script failed", failure);
        }
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel channel = listener.accept();
                channels.add(channel);
                spawn(
                        () -> {
                            try (channel) {
                                script.play(new Peer(channel));
                            } catch (IOException e) {
                                // Ended by the client or by the end of the test.
                            } catch (Exception | AssertionError e) {
                                failures.add(e);
                            }
                        });
            }
        } catch (IOException e) {
            // The end of the test.
        }
    }

    private void spawn(Runnable task) {
        var thread = new Thread(task, "fake-server");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** The script's view of one connection. */
    final class Peer {
        private final SocketChannel channel;
        private byte[] unread = new byte[0];

        Peer(SocketChannel channel) {
            this.channel = channel;
        }

        /** Reads the next line, or throws {@link IOException} if the client has disconnected. */
        String line() throws IOException {
            while (true) {
                for (int i = 0; i < unread.length; i++) {
                    if (unread[i] == '\n') {
                        String line = new String(unread, 0, i, StandardCharsets.UTF_8);
                        unread = Arrays.copyOfRange(unread, i + 1, unread.length);
                        received.add(line);
                        return line;
                    }
                }
                more();
            }
        }

        /** Reads the next line, and discards everything else that arrived with it. */
        String onlyLine() throws IOException {
            String line = line();
            unread = new byte[0];
            return line;
        }

        void send(String text) throws IOException {
            send(text.getBytes(StandardCharsets.UTF_8));
        }

        void send(byte[] bytes) throws IOException {
            ByteBuffer out = ByteBuffer.wrap(bytes);
            while (out.hasRemaining()) {
                channel.write(out);
            }
        }

        void respondToAll(Function<String, String> responses) throws IOException {
            while (true) {
                send(responses.apply(line()));
            }
        }

        /** Reads without a response until the client disconnects. */
        void awaitEnd() throws IOException {
            while (true) {
                line();
            }
        }

        private void more() throws IOException {
            ByteBuffer in = ByteBuffer.allocate(64 * 1024);
            if (channel.read(in) < 0) {
                throw new IOException("The client has left");
            }
            var both = new ByteArrayOutputStream();
            both.writeBytes(unread);
            both.write(in.array(), 0, in.position());
            unread = both.toByteArray();
        }
    }
}
