package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;

/** Emitters and listeners are distributed over the event loops. */
@DisplayName("Pushed lines")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
@Timeout(120)
class PushOrderIT {
    private static final int EMITTERS = 3;

    /** All emitters together leave fewer than 64 lines undelivered: no listener is too slow. */
    private static final int MAX_UNDELIVERED = 20;

    private final TestServer server;
    private final ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<?>> emitting = new ArrayList<>();

    PushOrderIT(IoTransport ioTransport) {
        server = TestServer.start(new TestConfig().transport(ioTransport).eventLoops(3));
    }

    @AfterEach
    void close() {
        server.close();
        pool.shutdownNow();
    }

    /** The payloads of an emitter, short and long. */
    private static String payload(int emitter, int number) {
        int length =
                switch (number % 24) {
                    case 0 -> 60_000;
                    case 5, 17 -> 9000;
                    case 7 -> 2040; // about the length from which lines are not copied
                    case 13 -> 2050;
                    default -> number % 200;
                };
        char filler = (char) ('a' + (number + emitter) % 26);
        return emitter + " " + number + " " + String.valueOf(filler).repeat(length) + ".";
    }

    /** Checks that the signals of each emitter arrive in order and complete. */
    private static final class ReceivedSignals {
        private final int[] next = new int[EMITTERS];
        private int count;

        int take(String line) {
            String[] words = line.split(" ", 4);
            assertThat(words[0]).isEqualTo("sig");
            int emitter = Integer.parseInt(words[2]);
            String expected = "sig " + words[1] + " " + payload(emitter, next[emitter]);
            if (!line.equals(expected)) {
                throw new AssertionError(shortened(line) + " came for " + shortened(expected));
            }
            next[emitter]++;
            count++;
            return emitter;
        }

        private static String shortened(String line) {
            return "<" + line.substring(0, Math.min(60, line.length())) + "> " + line.length();
        }
    }

    private record Exchange(String request, Predicate<String> response) {}

    @Test
    void pushed_lines_are_complete_and_never_inside_responses() throws Exception {
        int each = 700;
        List<Exchange> round = exchanges();
        StringBuilder text = new StringBuilder();
        round.forEach(exchange -> text.append(exchange.request));
        TestClient listener = server.connect().listen("flood.>");
        Semaphore[] undelivered = emit(each, "flood.");

        ReceivedSignals received = new ReceivedSignals();
        Queue<Exchange> open = new ArrayDeque<>();
        int rounds = 0;
        while (received.count < each * EMITTERS || !open.isEmpty()) {
            if (received.count < each * EMITTERS && open.size() < 2 * round.size()) {
                listener.sendRaw(text.toString());
                open.addAll(round);
                rounds++;
                assertThat(rounds).as("rounds without all signals").isLessThan(2000);
            }
            String line = listener.line();
            if (line.startsWith("sig ")) {
                undelivered[received.take(line)].release();
            } else {
                Exchange exchange = open.remove();
                assertThat(exchange.response.test(line)).as(exchange.request + line).isTrue();
            }
        }
        for (Future<?> end : emitting) {
            end.get();
        }
        assertThat(rounds).isGreaterThan(3);
        listener.assertServed();
    }

    /** Some responses are written at once, some in chunks by a thread of their own. */
    private List<Exchange> exchanges() {
        TestClient client = server.connect();
        StringBuilder requests = new StringBuilder();
        StringBuilder items = new StringBuilder("ok [");
        for (int i = 0; i < 2000; i++) {
            String item = "an item of some length, number " + i;
            requests.append("rpush\nlist\n").append(item).append('\n');
            items.append(i == 0 ? "\"" : ",\"").append(item).append('"');
        }
        for (int i = 0; i < 600; i++) {
            requests.append("l\na-key-with-a-rather-long-name-").append(i).append("\n0 600\n");
        }
        pool.submit(() -> client.sendRaw(requests.toString()));
        for (int i = 0; i < 2600; i++) {
            assertThat(client.line()).startsWith("ok ");
        }
        String whole = items.append(']').toString();
        String few = whole.substring(0, whole.indexOf(" 3\"") + 3) + "]";
        return List.of(
                new Exchange("ping\n\n\n", "ok"::equals),
                new Exchange("lrange\nlist\n0 -1\n", whole::equals),
                new Exchange("nonsense\n\n\n", "error"::equals),
                new Exchange("lrange\nlist\n0 3\n", few::equals),
                new Exchange("stats\n\n\n", PushOrderIT::isWholeStats),
                new Exchange("stats\n\n\n", PushOrderIT::isWholeStats),
                new Exchange("llen\nlist\n\n", "ok 2000"::equals));
    }

    private static boolean isWholeStats(String line) {
        return Stats.parse(line).keys("locks").size() == 600;
    }

    /**
     * Starts the emitters; each waits when {@link #MAX_UNDELIVERED} of its lines are undelivered.
     */
    private Semaphore[] emit(int each, String prefix) {
        Semaphore[] undelivered = new Semaphore[EMITTERS];
        for (int i = 0; i < EMITTERS; i++) {
            int emitter = i;
            Semaphore permits = new Semaphore(MAX_UNDELIVERED);
            undelivered[emitter] = permits;
            TestClient client = server.connect();
            emitting.add(
                    pool.submit(
                            () -> {
                                for (int n = 0; n < each; n++) {
                                    permits.acquire();
                                    client.send("signal", prefix + n % 3, payload(emitter, n));
                                }
                                for (int n = 0; n < each; n++) {
                                    assertThat(client.line()).isEqualTo("ok 1");
                                }
                                return null;
                            }));
        }
        return undelivered;
    }

    @Test
    void pushed_lines_of_one_emitter_keep_their_order_at_every_listener() throws Exception {
        int each = 500;
        List<TestClient> listeners = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            listeners.add(server.connect().listen("a." + i % 3).listen("a.>"));
        }
        for (int i = 0; i < EMITTERS; i++) {
            int emitter = i;
            TestClient client = server.connect();
            StringBuilder requests = new StringBuilder();
            for (int n = 0; n < each; n++) {
                requests.append("signal\na.").append(n % 4).append('\n');
                requests.append(emitter).append(' ').append(n).append('\n');
            }
            emitting.add(pool.submit(() -> client.sendRaw(requests.toString())));
        }
        for (TestClient listener : listeners) {
            int[] next = new int[EMITTERS];
            for (int i = 0; i < each * EMITTERS; i++) {
                String[] words = listener.line().split(" ", 4);
                int emitter = Integer.parseInt(words[2]);
                int number = next[emitter]++;
                assertThat(words[1]).isEqualTo("a." + number % 4);
                assertThat(words[3]).isEqualTo(Integer.toString(number));
            }
            listener.assertServed();
        }
    }

    @Test
    void signals_of_a_queue_group_reach_exactly_one_member_in_turn() throws Exception {
        int each = 500;
        List<TestClient> members = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            members.add(server.connect().listen("jobs", "g"));
        }
        for (int i = 0; i < EMITTERS; i++) {
            int emitter = i;
            TestClient client = server.connect();
            emitting.add(
                    pool.submit(
                            () -> {
                                for (int n = 0; n < each; n++) {
                                    client.send("signal", "jobs", emitter + "-" + n);
                                }
                                for (int n = 0; n < each; n++) {
                                    assertThat(client.line()).isEqualTo("ok 1");
                                }
                            }));
        }
        List<String> received = new ArrayList<>();
        for (TestClient member : members) {
            for (int i = 0; i < each * EMITTERS / members.size(); i++) {
                received.add(member.line());
            }
            member.assertServed();
        }
        assertThat(received).doesNotHaveDuplicates();
        for (Future<?> end : emitting) {
            end.get();
        }
    }

    /** On one connection: responses in order, its own signals in order, none inside another. */
    @Test
    void pushed_lines_of_the_emitter_itself_arrive_between_its_responses() {
        TestClient client = server.connect().listen("own");
        int count = 1500;
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < count; i++) {
            requests.append("signal\nown\n")
                    .append(payload(1, i + 1).replace(".", ""))
                    .append('\n');
            requests.append(i % 50 == 7 ? "stats\n\n\n" : "llen\nnone\n\n");
        }
        pool.submit(() -> client.sendRaw(requests.toString()));
        int pushed = 0;
        for (int responses = 0; responses < 2 * count || pushed < count; ) {
            String line = client.line();
            if (line.startsWith("sig own ")) {
                pushed++;
                assertThat(line.substring(8)).isEqualTo(payload(1, pushed).replace(".", ""));
            } else if (responses++ % 2 == 0) {
                assertThat(line).isEqualTo("ok 1");
            } else {
                assertThat(line).startsWith(responses / 2 % 50 == 8 ? "ok {" : "ok 0");
            }
        }
        client.assertServed();
    }
}
