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

/** Emitters and listeners are spread over the event loops. */
@DisplayName("Pushed lines")
@ParameterizedClass
@MethodSource("io.holdfast.server.TestServer#transports")
@Timeout(120)
class PushOrderIT {
    private static final int EMITTERS = 3;

    /** All emitters together leave fewer than 64 lines undelivered: nobody is too slow. */
    private static final int UNHEARD = 20;

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

    /** What an emitter says, short and long. */
    private static String payload(int emitter, int number) {
        int length =
                switch (number % 24) {
                    case 0 -> 60_000;
                    case 5, 17 -> 9000;
                    case 7 -> 2040; // about where lines are no longer copied
                    case 13 -> 2050;
                    default -> number % 200;
                };
        char filler = (char) ('a' + (number + emitter) % 26);
        return emitter + " " + number + " " + String.valueOf(filler).repeat(length) + ".";
    }

    /** What has come from each emitter, which must be all in order. */
    private static final class Heard {
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

    private record Asked(String request, Predicate<String> answer) {}

    @Test
    void come_whole_and_never_inside_the_answers_of_one_who_asks_for_much() throws Exception {
        int each = 700;
        List<Asked> round = questions();
        StringBuilder text = new StringBuilder();
        round.forEach(asked -> text.append(asked.request));
        TestClient listener = server.connect().listen("flood.>");
        Semaphore[] unheard = emit(each, "flood.");

        Heard heard = new Heard();
        Queue<Asked> open = new ArrayDeque<>();
        int rounds = 0;
        while (heard.count < each * EMITTERS || !open.isEmpty()) {
            if (heard.count < each * EMITTERS && open.size() < 2 * round.size()) {
                listener.sendRaw(text.toString());
                open.addAll(round);
                rounds++;
                assertThat(rounds).as("rounds without all signals").isLessThan(2000);
            }
            String line = listener.line();
            if (line.startsWith("sig ")) {
                unheard[heard.take(line)].release();
            } else {
                Asked asked = open.remove();
                assertThat(asked.answer.test(line)).as(asked.request + line).isTrue();
            }
        }
        for (Future<?> end : emitting) {
            end.get();
        }
        assertThat(rounds).isGreaterThan(3);
        listener.assertServed();
    }

    /** Some are answered at once, some piece by piece, in a thread of their own. */
    private List<Asked> questions() {
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
                new Asked("ping\n\n\n", "ok"::equals),
                new Asked("lrange\nlist\n0 -1\n", whole::equals),
                new Asked("nonsense\n\n\n", "error"::equals),
                new Asked("lrange\nlist\n0 3\n", few::equals),
                new Asked("stats\n\n\n", PushOrderIT::isWholeStats),
                new Asked("stats\n\n\n", PushOrderIT::isWholeStats),
                new Asked("llen\nlist\n\n", "ok 2000"::equals));
    }

    private static boolean isWholeStats(String line) {
        return Stats.parse(line).keys("locks").size() == 600;
    }

    /** Begins to emit; each emitter waits when so many of its lines are unheard. */
    private Semaphore[] emit(int each, String prefix) {
        Semaphore[] unheard = new Semaphore[EMITTERS];
        for (int i = 0; i < EMITTERS; i++) {
            int emitter = i;
            Semaphore room = new Semaphore(UNHEARD);
            unheard[emitter] = room;
            TestClient client = server.connect();
            emitting.add(
                    pool.submit(
                            () -> {
                                for (int n = 0; n < each; n++) {
                                    room.acquire();
                                    client.send("signal", prefix + n % 3, payload(emitter, n));
                                }
                                for (int n = 0; n < each; n++) {
                                    assertThat(client.line()).isEqualTo("ok 1");
                                }
                                return null;
                            }));
        }
        return unheard;
    }

    @Test
    void of_one_emitter_keep_their_order_at_every_listener() throws Exception {
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
    void of_a_group_reach_exactly_one_member_and_all_members_alike() throws Exception {
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
        List<String> heard = new ArrayList<>();
        for (TestClient member : members) {
            for (int i = 0; i < each * EMITTERS / members.size(); i++) {
                heard.add(member.line());
            }
            member.assertServed();
        }
        assertThat(heard).doesNotHaveDuplicates();
        for (Future<?> end : emitting) {
            end.get();
        }
    }

    /** On one connection: its answers in order, its own lines in order, none inside another. */
    @Test
    void of_ones_own_come_between_ones_own_answers() {
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
        for (int answers = 0; answers < 2 * count || pushed < count; ) {
            String line = client.line();
            if (line.startsWith("sig own ")) {
                pushed++;
                assertThat(line.substring(8)).isEqualTo(payload(1, pushed).replace(".", ""));
            } else if (answers++ % 2 == 0) {
                assertThat(line).isEqualTo("ok 1");
            } else {
                assertThat(line).startsWith(answers / 2 % 50 == 8 ? "ok {" : "ok 0");
            }
        }
        client.assertServed();
    }
}
