package io.holdfast.cluster.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cluster.signal.SignalReplicas.NodeListener;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import java.util.List;
import java.util.Random;

/** Random requests on several nodes. A failure is printed with its seed. */
@Label("For random requests on random nodes,")
class ReplicatedSignalsPropertyTest {
    private static final int NODES = 3;
    private static final int LISTENERS = 7;
    private static final int STEPS = 120;
    private static final List<String> PATTERNS =
            List.of("a", "a.b", "a.*", "*.b", "a.>", ">", "*", "a.b.c");
    private static final List<String> CHANNELS = List.of("a", "a.b", "a.b.c", "x", "x.b");
    private static final List<String> GROUPS = List.of("", "", "g", "h", "i");

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void all_nodes_choose_the_same_listeners_and_none_gets_a_signal_twice(
            @ForAll Random random, @ForAll @IntRange(max = 4) int limit) {
        SignalReplicas signalReplicas = nodes(limit);
        for (int i = 0; i < STEPS; i++) {
            step(signalReplicas, random, i);
        }
        assertThat(signalReplicas.written()).isNotEmpty(); // this also compares the nodes
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void a_node_restored_from_a_snapshot_behaves_like_the_others(
            @ForAll Random random, @ForAll @IntRange(max = STEPS) int restored) {
        SignalReplicas signalReplicas = nodes(0);
        for (int i = 0; i < STEPS; i++) {
            if (i == restored || i == 2 * restored) {
                signalReplicas.restore(random.nextInt(NODES));
            }
            step(signalReplicas, random, i);
        }
        assertThat(signalReplicas.written()).isNotEmpty();
    }

    private static SignalReplicas nodes(int limit) {
        SignalReplicas signalReplicas = new SignalReplicas(NODES);
        signalReplicas.limit(limit);
        for (int i = 0; i < LISTENERS; i++) {
            signalReplicas.connect(i % NODES);
        }
        return signalReplicas;
    }

    private static void step(SignalReplicas signalReplicas, Random random, int number) {
        NodeListener nodeListener = one(random, signalReplicas.listeners());
        int dice = random.nextInt(10);
        if (dice < 4) {
            signalReplicas.listen(nodeListener, one(random, PATTERNS), one(random, GROUPS));
        } else if (dice < 5) {
            signalReplicas.unlisten(nodeListener, one(random, PATTERNS), one(random, GROUPS));
        } else if (dice < 6 && random.nextInt(4) == 0) {
            signalReplicas.end(nodeListener);
        } else {
            emit(signalReplicas, nodeListener, one(random, CHANNELS), String.valueOf(number));
        }
    }

    private static void emit(
            SignalReplicas signalReplicas,
            NodeListener nodeListener,
            String channel,
            String payload) {
        long chosen = signalReplicas.emit(nodeListener, channel, payload);
        String line = channel + " " + payload;
        long received = 0;
        for (NodeListener each : signalReplicas.listeners()) {
            long times = each.received().stream().filter(line::equals).count();
            assertThat(times).isLessThanOrEqualTo(1);
            received += times;
        }
        assertThat(received).isEqualTo(chosen);
    }

    private static <T> T one(Random random, List<T> all) {
        return all.get(random.nextInt(all.size()));
    }
}
