package io.holdfast.socketlock;

import static io.holdfast.socketlock.Eventually.await;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** A primary that is scripted by a test, line by line. */
final class ScriptedPrimary implements AutoCloseable {
    private static final int MAX_SECONDS = 20;

    private final ServerSocketChannel listener;
    private final BlockingQueue<Peer> callers = new LinkedBlockingQueue<>();
    private final List<Peer> peers = new CopyOnWriteArrayList<>();

    private ScriptedPrimary(ServerSocketChannel listener) {
        this.listener = listener;
    }

    static ScriptedPrimary at(Path path) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path));
        var primary = new ScriptedPrimary(listener);
        spawn(primary::acceptAll);
        return primary;
    }

    /** Accepts the next client. */
    Peer caller() throws InterruptedException {
        return Objects.requireNonNull(
                callers.poll(MAX_SECONDS, SECONDS), "no client has connected");
    }

    /** The number of clients that have connected so far. */
    int connections() {
        return peers.size();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Peer peer : peers) {
            peer.hangUp();
        }
    }

    private void acceptAll() {
        try {
            while (true) {
                var peer = new Peer(listener.accept());
                peers.add(peer);
                callers.add(peer);
            }
        } catch (IOException e) {
            // The end of the test.
        }
    }

    private static void spawn(Runnable task) {
        var thread = new Thread(task, "scripted-primary");
        thread.setDaemon(true);
        thread.start();
    }

    /** The client's end of one connection. */
    static final class Peer {
        private final SocketChannel channel;
        private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        private volatile boolean ended;
        private boolean reads;
        private String id = "";

        private Peer(SocketChannel channel) {
            this.channel = channel;
        }

        /** Reads the next line. */
        String line() throws InterruptedException {
            if (!reads) {
                reads = true;
                spawn(this::readAll);
            }
            String line = lines.poll(MAX_SECONDS, SECONDS);
            return Objects.requireNonNull(line, "No line has come");
        }

        /** Reads the next line, which must have the client's id and this verb; returns the rest. */
        String expects(String verb) throws InterruptedException {
            String line = line();
            assertThat(line).startsWith(id + " " + verb);
            return line.substring((id + " " + verb).length()).strip();
        }

        /** As {@link #expects}, skipping STATUS and TOKEN requests before it. */
        String takesAtLast(String verb) throws InterruptedException {
            String line = line();
            while (line.startsWith(id + " STATUS ") || line.startsWith(id + " TOKEN ")) {
                line = line();
            }
            assertThat(line).startsWith(id + " " + verb);
            return line.substring((id + " " + verb).length()).strip();
        }

        /** Sends a line to the client, with its id. */
        void sends(String words) throws IOException {
            send(id + " " + words + "\n");
        }

        void send(String text) throws IOException {
            ByteBuffer out = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
            while (out.hasRemaining()) {
                channel.write(out);
            }
        }

        /** Reads both greetings; returns the id that the client sends. */
        String greeting() throws InterruptedException {
            String named = line();
            assertThat(named).endsWith(" HELLO");
            assertThat(line()).isEqualTo("HELLO");
            return named.substring(0, named.length() - " HELLO".length());
        }

        /** Sets the id with which the client is addressed. */
        void calls(String name) {
            id = name;
        }

        /** Responds to the greeting as a Holdfast primary, with an epoch. */
        Peer welcome(long epoch) throws IOException, InterruptedException {
            calls(greeting());
            sends("CONNECTED");
            send("CONNECTED " + id + "\n");
            expects("PROCESS");
            expects("EPOCH");
            sends("EPOCH " + epoch);
            return this;
        }

        /** Greets as a Holdfast primary, for a client without a hold to re-assert. */
        Peer welcome() throws IOException, InterruptedException {
            welcome(7);
            expects("SETTLED");
            return this;
        }

        /** Greets as an original socketlock, which assigns the id and supports no extensions. */
        Peer welcomeLikeAnOriginal() throws IOException, InterruptedException {
            greeting();
            calls("c1-1");
            send("CONNECTED c1-1\n");
            expects("PROCESS");
            expects("EPOCH");
            return this;
        }

        /** Grants the client's next request; returns its lock id. */
        String grants(LockMode mode, long fence) throws IOException, InterruptedException {
            String[] fields =
                    expects(mode == LockMode.READ ? "REQREAD" : "REQWRITE").split(" ", -1);
            String lockId = offers(mode, fields[0]);
            sends("TOKEN " + lockId + " " + fence);
            sends("LOCKOK " + lockId);
            return lockId;
        }

        /** Offers the lock, and reads the client's responses. */
        String offers(LockMode mode, String lockId) throws IOException, InterruptedException {
            sends(mode + "LOCK " + lockId);
            assertThat(expects("CONFIRM")).isEqualTo(lockId);
            assertThat(expects("TOKEN")).isEqualTo(lockId);
            assertThat(expects("STATUS")).isEqualTo(lockId);
            return lockId;
        }

        /** Ends the connection. */
        void hangUp() throws IOException {
            channel.close();
        }

        /** Whether the client has closed the connection; only up to date while lines are read. */
        boolean hasEnded() {
            return ended;
        }

        void awaitEnd() {
            await().until(() -> ended);
        }

        private void readAll() {
            var line = new StringBuilder();
            ByteBuffer in = ByteBuffer.allocate(8192);
            try {
                while (channel.read(in) >= 0) {
                    for (int i = 0; i < in.position(); i++) {
                        char c = (char) (in.get(i) & 0xff);
                        if (c == '\n') {
                            lines.add(line.toString());
                            line.setLength(0);
                        } else {
                            line.append(c);
                        }
                    }
                    in.clear();
                }
            } catch (IOException e) {
                // Ended by either side.
            }
            ended = true;
        }
    }
}
