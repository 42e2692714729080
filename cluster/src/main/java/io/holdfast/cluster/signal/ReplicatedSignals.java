package io.holdfast.cluster.signal;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.driver.ScanCursor;
import io.holdfast.driver.signal.ChannelView;
import io.holdfast.driver.signal.ListenOutcome;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.driver.signal.SignalListener;
import io.holdfast.driver.signal.Subscriber;
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
 * Who listens to what on all nodes, and who gets a signal: the same on every node that has been
 * told the same. Each node tells the listeners attached to it, and only those.
 *
 * <p>What changes the state, {@link #write} and {@link #read} are called under the lock of the
 * replica, by one thread at a time. {@link #attach}, {@link #detach}, {@link #list} and {@link
 * #listeners} may be called from any thread, without it.
 */
public final class ReplicatedSignals {
    private static final int VERSION = 1;

    private volatile SignalHub hub = newHub();
    private int maxSubscriptions;

    /** Those who listen to something, by session: those of one stint are neighbours. */
    private NavigableMap<Long, ReplicatedSignalListener> listenersBySession = new TreeMap<>();

    /** Not state: who is here. */
    private final ConcurrentMap<Long, SignalListener> attached = new ConcurrentHashMap<>();

    private static SignalHub newHub() {
        return new SignalHub(0, () -> true); // memory is looked after before the log
    }

    /** Changes how many registrations a session may have; 0 is no limit. */
    public void limit(int most) {
        maxSubscriptions = most;
        hub.limit(most);
    }

    // ---- what the log says

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

    /** Tells those attached here who are chosen; the effect says how many are in all. */
    public Effect emit(BatchItem.Emit item) {
        List<SignalListener> chosen = hub.choose(item.channel()).listeners();
        if (!attached.isEmpty()) {
            deliver(chosen, item.channel(), item.payload());
        }
        return new Effect.Counted(item.session(), item.request(), chosen.size());
    }

    private void deliver(List<SignalListener> chosen, Key channel, ByteString payload) {
        ReplicatedSignal signal = new ReplicatedSignal(channel, payload);
        for (SignalListener each : chosen) {
            SignalListener here = attached.get(((ReplicatedSignalListener) each).session());
            if (here == null) {
                continue; // on another node, or gone
            }
            if (here.isFull()) {
                here.overrun();
            } else {
                here.deliver(signal);
            }
        }
    }

    /** A session has ended: it listens to nothing any more. */
    public void end(long session) {
        boolean _ = endSome(session, session, Integer.MAX_VALUE);
    }

    /**
     * Ends registrations of the sessions from one number to another, both included.
     *
     * @param most how many at most
     * @return whether there are more
     */
    public boolean endSome(long first, long last, int most) {
        int left = most;
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

    public void write(DataOutput out) throws IOException {
        out.writeInt(VERSION);
        hub.write(out, signalListener -> ((ReplicatedSignalListener) signalListener).session());
    }

    /** Becomes what was written. Those attached stay attached, and the limit stays as it is. */
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

    // ---- those who are here

    /** Tells a listener what a session listens to, from now on. */
    public void attach(long session, SignalListener signalListener) {
        attached.put(session, signalListener);
    }

    /** The listener of a session hears no more. */
    public void detach(long session) {
        attached.remove(session);
    }

    // ---- views

    /** How many listen, each as often as it does. */
    public int listeners() {
        return hub.listeners();
    }

    /** The patterns and groups somebody listens to. */
    public ScanCursor<ChannelView> list() {
        return hub.list();
    }
}
