package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

@DisplayName("The connection gate")
@Timeout(120)
class ConnectionGateTest {
    private static final InetAddress HERE = address(1);
    private static final InetAddress THERE = address(2);

    private static InetAddress address(int last) {
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void the_gate_without_caps_admits_every_connection() {
        ConnectionGate gate = new ConnectionGate(0, 0, () -> true);
        for (int i = 0; i < 10_000; i++) {
            assertThat(gate.enter(HERE)).isTrue();
        }
    }

    @Test
    void the_gate_admits_up_to_the_cap_and_one_for_each_that_leaves() {
        ConnectionGate gate = new ConnectionGate(2, 0, () -> true);
        assertThat(gate.enter(HERE)).isTrue();
        assertThat(gate.enter(THERE)).isTrue();
        assertThat(gate.enter(HERE)).isFalse();
        assertThat(gate.enter(HERE)).isFalse();
        gate.leave(THERE);
        assertThat(gate.enter(HERE)).isTrue();
        assertThat(gate.enter(HERE)).isFalse();
    }

    @Test
    void the_gate_counts_each_address_separately() {
        ConnectionGate gate = new ConnectionGate(0, 2, () -> true);
        assertThat(gate.enter(HERE)).isTrue();
        assertThat(gate.enter(HERE)).isTrue();
        assertThat(gate.enter(HERE)).isFalse();
        assertThat(gate.enter(THERE)).isTrue();
        gate.leave(HERE);
        assertThat(gate.enter(HERE)).isTrue();
        assertThat(gate.enter(HERE)).isFalse();
    }

    @Test
    void the_gate_does_not_count_refused_connections() {
        ConnectionGate gate = new ConnectionGate(3, 1, () -> true);
        assertThat(gate.enter(HERE)).isTrue();
        for (int i = 0; i < 10; i++) {
            assertThat(gate.enter(HERE)).isFalse();
        }
        assertThat(gate.enter(THERE)).isTrue();
        assertThat(gate.enter(address(3))).isTrue();
        assertThat(gate.enter(address(4))).isFalse();
    }

    @Test
    void the_gate_refuses_connections_while_there_is_no_memory() {
        AtomicBoolean isMemoryFree = new AtomicBoolean();
        ConnectionGate gate = new ConnectionGate(1, 0, isMemoryFree::get);
        assertThat(gate.enter(HERE)).isFalse();
        isMemoryFree.set(true);
        assertThat(gate.enter(HERE)).isTrue();
    }

    @Test
    void the_gate_never_admits_more_than_the_cap_when_many_arrive_at_once() throws Exception {
        int threads = 4;
        int cap = 3;
        ConnectionGate gate = new ConnectionGate(cap, 0, () -> true);
        AtomicInteger inside = new AtomicInteger();
        together(
                threads,
                () -> {
                    for (int i = 0; i < 20_000; i++) {
                        if (gate.enter(HERE)) {
                            assertThat(inside.incrementAndGet()).isLessThanOrEqualTo(cap);
                            inside.decrementAndGet();
                            gate.leave(HERE);
                        }
                    }
                    return null;
                });
        for (int i = 0; i < cap; i++) {
            assertThat(gate.enter(HERE)).isTrue();
        }
        assertThat(gate.enter(HERE)).isFalse();
    }

    /** A connection that is being refused never counts, not even briefly. */
    @Test
    void the_gate_refuses_no_connection_within_the_cap_while_another_is_refused() throws Exception {
        ConnectionGate gate = new ConnectionGate(2, 1, () -> true);
        assertThat(gate.enter(HERE)).isTrue();
        AtomicInteger part = new AtomicInteger();
        together(
                2,
                () -> {
                    boolean refused = part.getAndIncrement() == 0;
                    for (int i = 0; i < 200_000; i++) {
                        if (refused) {
                            assertThat(gate.enter(HERE)).isFalse();
                        } else {
                            assertThat(gate.enter(THERE)).as("round %d", i).isTrue();
                            gate.leave(THERE);
                        }
                    }
                    return null;
                });
    }

    private static void together(int threads, Callable<Void> task) throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Future<Void>> ends = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                ends.add(
                        pool.submit(
                                () -> {
                                    start.await();
                                    return task.call();
                                }));
            }
            for (Future<Void> end : ends) {
                end.get();
            }
        }
    }
}
