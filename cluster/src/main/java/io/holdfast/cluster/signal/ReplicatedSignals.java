package io.holdfast.cluster.signal;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.driver.memory.MemoryBudget;
import io.holdfast.driver.signal.ChannelView;
import io.holdfast.driver.signal.ListenOutcome;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.driver.signal.SignalListener;
import io.holdfast.driver.signal.SignalService;
import io.holdfast.driver.signal.Subscriber;
import io.holdfast.driver.signal.UnpooledSignal;
import io.holdfast.driver.view.ScanCursor;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The signal listeners of all nodes, and the choice of those that get a signal: equal on every node
 * that has applied the same entries. Each node delivers signals to the listeners attached to it,
 * and only to those.
 *
 * <p>The methods that change the state, {@link #write} and {@link #read} are called under the lock
 * of the replica, by one thread at a time. {@link #attach}, {@link #detach}, {@link #list} and
 * {@link #listeners} may be called from any thread, without it.
 */
public final class ReplicatedSignals implements SignalService {
    private static final int VERSION = 1;

    private volatile SignalHub hub = newHub();
    private int maxSubscriptions;

    /**
     * The sessions that listen, in the order of their ids, so those of one incarnation are
     * adjacent.
     */
    private NavigableMap<Long, ReplicatedSignalListener> listenersBySession = new TreeMap<>();

    /** The listeners attached to this node, by session; not part of the replicated state. */
    private final ConcurrentMap<Long, SignalListener> attached = new ConcurrentHashMap<>();

    private static SignalHub newHub() {
        return new SignalHub(
                0,
                MemoryBudget.UNLIMITED, // memory is checked before a command is proposed
                ReplicatedSignals::idOf);
    }

    private static long idOf(SignalListener signalListener) {
        return ((ReplicatedSignalListener) signalListener).session();
    }

    /** Changes the maximum number of subscriptions of a session; 0 is unlimited. */
    public void limit(int max) {
        maxSubscriptions = max;
        hub.limit(max);
    }

    // ---- applying the log

    public Effect listen(BatchItem.Listen item) {
        ReplicatedSignalListener replicatedSignalListener = listenersBySession.get(item.session());
        boolean added = replicatedSignalListener == null;
        if (replicatedSignalListener == null) {
            replicatedSignalListener = new ReplicatedSignalListener(item.session(), hub);
            listenersBySession.put(replicatedSignalListener.session(), replicatedSignalListener);
        }
        ListenOutcome outcome =
                replicatedSignalListener.subscriber().listen(item.pattern(), item.group());
        if (outcome == ListenOutcome.LISTENING) {
            return new Effect.Changed(item.session(), item.request());
        }
        if (added) {
            listenersBySession.remove(item.session());
        }
        return new Effect.Refused(item.session(), item.request(), Refusal.TOO_MANY_ENTRIES);
    }

    public Effect unlisten(BatchItem.Unlisten item) {
        ReplicatedSignalListener replicatedSignalListener = listenersBySession.get(item.session());
        if (replicatedSignalListener != null) {
            replicatedSignalListener.subscriber().unlisten(item.pattern(), item.group());
            if (replicatedSignalListener.subscriber().size() == 0) {
                listenersBySession.remove(item.session());
            }
        }
        return new Effect.Changed(item.session(), item.request());
    }

    /**
     * Delivers a signal to those chosen listeners that are attached here; the effect has the number
     * of all chosen ones.
     */
    public Effect emit(BatchItem.Emit item) {
        List<SignalListener> chosen = hub.choose(item.channel()).listeners();
        if (!attached.isEmpty()) {
            deliver(chosen, item.channel(), item.payload());
        }
        return new Effect.Counted(item.session(), item.request(), chosen.size());
    }

    private void deliver(List<SignalListener> chosen, Key channel, ByteString payload) {
        UnpooledSignal signal = new UnpooledSignal(channel, payload);
        for (SignalListener each : chosen) {
            SignalListener local = attached.get(((ReplicatedSignalListener) each).session());
            if (local == null) {
                continue; // on another node, or detached
            }
            if (local.isFull()) {
                local.overrun();
            } else {
                local.deliver(signal);
            }
        }
    }

    /** Removes all subscriptions of a session. */
    public void end(long session) {
        boolean _ = endSome(session, session, Integer.MAX_VALUE);
    }

    /**
     * Removes subscriptions of the sessions of a range of ids.
     *
     * @param first the first id of the range
     * @param last the last id of the range, inclusive
     * @param max the maximum number of subscriptions to remove
     * @return whether there are more
     */
    public boolean endSome(long first, long last, int max) {
        int left = max;
        Map.Entry<Long, ReplicatedSignalListener> next = listenersBySession.ceilingEntry(first);
        while (next != null && next.getKey() <= last && left > 0) {
            Subscriber subscriber = next.getValue().subscriber();
            int size = subscriber.size();
            if (subscriber.closeSome(left)) {
                return true;
            }
            listenersBySession.remove(next.getKey());
            left -= size;
            next = listenersBySession.ceilingEntry(first);
        }
        return next != null && next.getKey() <= last;
    }

    // ---- snapshots

    /** Returns the hash of the subscriptions of all sessions, as {@link SignalHub#hash}. */
    public long hash() {
        return hub.hash();
    }

    public void write(DataOutput out) throws IOException {
        out.writeInt(VERSION);
        hub.write(out, ReplicatedSignals::idOf);
    }

    /**
     * Replaces the state by one that was written with {@link #write}. Attached listeners and the
     * limit stay.
     */
    public void read(DataInput in) throws IOException {
        int version = in.readInt();
        if (version != VERSION) {
            throw new IOException("signals are of version " + version + ", not " + VERSION);
        }
        SignalHub other = newHub();
        NavigableMap<Long, ReplicatedSignalListener> others = new TreeMap<>();
        other.read(
                in,
                session ->
                        others.computeIfAbsent(
                                        session, _ -> new ReplicatedSignalListener(session, other))
                                .subscriber());
        other.limit(maxSubscriptions);
        listenersBySession = others;
        hub = other;
    }

    // ---- listeners of this node

    /** Delivers the signals of a session to a listener from now on. */
    public void attach(long session, SignalListener signalListener) {
        attached.put(session, signalListener);
    }

    /** Delivers no more signals of a session. */
    public void detach(long session) {
        attached.remove(session);
    }

    // ---- views

    @Override
    public int listeners() {
        return hub.listeners();
    }

    @Override
    public ScanCursor<ChannelView> list() {
        return hub.list();
    }
}
