package io.holdfast.cluster.signal;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.driver.signal.Signal;
import io.holdfast.driver.signal.SignalListener;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Copies of one state, one on each node, all told the same; and those who are connected there. */
final class SignalReplicas {
    /** One of those connected, and what it has heard. */
    static final class NodeListener implements SignalListener {
        private final long session;
        private final List<String> heard = new ArrayList<>();
        private boolean full;
        private int overruns;

        private NodeListener(long session) {
            this.session = session;
        }

        long session() {
            return session;
        }

        List<String> heard() {
            return heard;
        }

        int overruns() {
            return overruns;
        }

        void setFull(boolean value) {
            full = value;
        }

        @Override
        public boolean isFull() {
            return full;
        }

        @Override
        public void deliver(Signal signal) {
            heard.add(signal.channel() + " " + signal.payload());
            signal.release();
        }

        @Override
        public void overrun() {
            overruns++;
        }
    }

    private final List<ReplicatedSignals> states = new ArrayList<>();
    private final List<NodeListener> people = new ArrayList<>();
    private long requests;

    SignalReplicas(int count) {
        for (int i = 0; i < count; i++) {
            states.add(new ReplicatedSignals());
        }
    }

    ReplicatedSignals state(int node) {
        return states.get(node);
    }

    List<NodeListener> people() {
        return people;
    }

    /** Somebody connects to a node; the stints are 1 for the first node, 2 for the second. */
    NodeListener connect(int node) {
        NodeListener nodeListener = new NodeListener(((node + 1L) << 32) | (people.size() + 1));
        people.add(nodeListener);
        states.get(node).attach(nodeListener.session(), nodeListener);
        return nodeListener;
    }

    void limit(int most) {
        states.forEach(state -> state.limit(most));
    }

    Effect listen(NodeListener nodeListener, String pattern, String group) {
        var item =
                new BatchItem.Listen(
                        nodeListener.session(), ++requests, Key.of(pattern), ByteString.of(group));
        return same(states.stream().map(state -> state.listen(item)).toList());
    }

    Effect unlisten(NodeListener nodeListener, String pattern, String group) {
        var item =
                new BatchItem.Unlisten(
                        nodeListener.session(), ++requests, Key.of(pattern), ByteString.of(group));
        return same(states.stream().map(state -> state.unlisten(item)).toList());
    }

    /** How many were told. */
    long emit(NodeListener nodeListener, String channel, String payload) {
        var item =
                new BatchItem.Emit(
                        nodeListener.session(),
                        ++requests,
                        Key.of(channel),
                        ByteString.of(payload));
        Effect effect = same(states.stream().map(state -> state.emit(item)).toList());
        return ((Effect.Counted) effect).value();
    }

    void end(NodeListener nodeListener) {
        states.forEach(state -> state.end(nodeListener.session()));
    }

    /** What a node would write, which is what any other would. */
    byte[] written() {
        List<byte[]> all = states.stream().map(SignalReplicas::written).toList();
        return same(all.stream().map(ByteString::of).toList()).bytes();
    }

    private static byte[] written(ReplicatedSignals state) {
        var bytes = new ByteArrayOutputStream();
        try {
            state.write(new DataOutputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** A node forgets what it has and reads what another wrote. */
    void restore(int node) {
        try {
            states.get(node).read(new DataInputStream(new ByteArrayInputStream(written())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static <T> T same(List<T> all) {
        for (T each : all) {
            if (!each.equals(all.getFirst())) {
                throw new AssertionError("the nodes do not agree: " + all);
            }
        }
        return all.getFirst();
    }
}
