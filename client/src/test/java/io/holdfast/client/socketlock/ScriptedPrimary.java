package io.holdfast.client.socketlock;

import static io.holdfast.client.socketlock.Eventually.await;

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

/** A primary that says what a test tells it to, line by line. */
final class ScriptedPrimary implements AutoCloseable {
    private static final int MOST_SECONDS = 20;

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

    /** The next one to connect. */
    Peer caller() throws InterruptedException {
        return Objects.requireNonNull(callers.poll(MOST_SECONDS, SECONDS), "Nobody has connected");
    }

    /** How many have connected so far. */
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

        /** The next line, whole. */
        String line() throws InterruptedException {
            if (!reads) {
                reads = true;
                spawn(this::readAll);
            }
            String line = lines.poll(MOST_SECONDS, SECONDS);
            return Objects.requireNonNull(line, "No line has come");
        }

        /** The next line, which has the client's id and this verb: what follows them. */
        String takes(String verb) throws InterruptedException {
            String line = line();
            assertThat(line).startsWith(id + " " + verb);
            return line.substring((id + " " + verb).length()).strip();
        }

        /** As {@link #takes}, with questions about a lock before it. */
        String takesAtLast(String verb) throws InterruptedException {
            String line = line();
            while (line.startsWith(id + " STATUS ") || line.startsWith(id + " TOKEN ")) {
                line = line();
            }
            assertThat(line).startsWith(id + " " + verb);
            return line.substring((id + " " + verb).length()).strip();
        }

        /** Sends a line to the client, with its id. */
        void says(String words) throws IOException {
            send(id + " " + words + "\n");
        }

        void send(String text) throws IOException {
            ByteBuffer out = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
            while (out.hasRemaining()) {
                channel.write(out);
            }
        }

        /** Takes both greetings; gives the id that the client brings. */
        String greeting() throws InterruptedException {
            String named = line();
            assertThat(named).endsWith(" HELLO");
            assertThat(line()).isEqualTo("HELLO");
            return named.substring(0, named.length() - " HELLO".length());
        }

        /** Calls the client so from now on. */
        void calls(String name) {
            id = name;
        }

        /** As our own servers do it, with their number. */
        Peer welcome(long epoch) throws IOException, InterruptedException {
            calls(greeting());
            says("CONNECTED");
            send("CONNECTED " + id + "\n");
            takes("PROCESS");
            takes("EPOCH");
            says("EPOCH " + epoch);
            return this;
        }

        /** One of our servers, and a client that has nothing to re-assert. */
        Peer welcome() throws IOException, InterruptedException {
            welcome(7);
            takes("SETTLED");
            return this;
        }

        /** An original: it makes the id, and knows none of our extensions. */
        Peer welcomeLikeAnOriginal() throws IOException, InterruptedException {
            greeting();
            calls("c1-1");
            send("CONNECTED c1-1\n");
            takes("PROCESS");
            takes("EPOCH");
            return this;
        }

        /** Gives the lock that the client asks for next; its lock-id. */
        String grants(LockMode mode, long fence) throws IOException, InterruptedException {
            String[] asked = takes(mode == LockMode.READ ? "REQREAD" : "REQWRITE").split(" ", -1);
            String lockId = offers(mode, asked[0]);
            says("TOKEN " + lockId + " " + fence);
            says("LOCKOK " + lockId);
            return lockId;
        }

        /** Offers it, and takes all that the client answers. */
        String offers(LockMode mode, String lockId) throws IOException, InterruptedException {
            says(mode + "LOCK " + lockId);
            assertThat(takes("CONFIRM")).isEqualTo(lockId);
            assertThat(takes("TOKEN")).isEqualTo(lockId);
            assertThat(takes("STATUS")).isEqualTo(lockId);
            return lockId;
        }

        /** Ends the connection. */
        void hangUp() throws IOException {
            channel.close();
        }

        /** Whether the client has ended it; only if lines are read. */
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
