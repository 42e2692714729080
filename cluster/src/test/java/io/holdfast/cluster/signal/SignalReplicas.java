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

/**
 * Replicas of the signal state, one for each node, which all apply the same items; and the
 * listeners of the nodes.
 */
final class SignalReplicas {
    /** A listener of a node, and the signals that it has received. */
    static final class NodeListener implements SignalListener {
        private final long session;
        private final List<String> received = new ArrayList<>();
        private boolean full;
        private int overruns;

        private NodeListener(long session) {
            this.session = session;
        }

        long session() {
            return session;
        }

        List<String> received() {
            return received;
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
            received.add(signal.channel() + " " + signal.payload());
            signal.release();
        }

        @Override
        public void overrun() {
            overruns++;
        }
    }

    private final List<ReplicatedSignals> states = new ArrayList<>();
    private final List<NodeListener> listeners = new ArrayList<>();
    private long requests;

    SignalReplicas(int count) {
        for (int i = 0; i < count; i++) {
            states.add(new ReplicatedSignals());
        }
    }

    ReplicatedSignals state(int node) {
        return states.get(node);
    }

    List<NodeListener> listeners() {
        return listeners;
    }

    /** Attaches a listener to a node; the incarnation is 1 for the first node, 2 for the second. */
    NodeListener connect(int node) {
        NodeListener nodeListener = new NodeListener(((node + 1L) << 32) | (listeners.size() + 1));
        listeners.add(nodeListener);
        states.get(node).attach(nodeListener.session(), nodeListener);
        return nodeListener;
    }

    void limit(int max) {
        states.forEach(state -> state.limit(max));
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

    /** Publishes a signal. Returns the number of chosen listeners. */
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

    /** Returns the snapshot of the nodes, which must be equal for all. */
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

    /** Restores a node from a snapshot of the others. */
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
                throw new AssertionError("the nodes differ: " + all);
            }
        }
        return all.getFirst();
    }
}
