package io.holdfast.cluster.driver;

import io.holdfast.cluster.entry.BatchItem;
import io.holdfast.cluster.signal.ReplicatedSignals;
import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalListener;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;

import org.jspecify.annotations.Nullable;

/**
 * A client of this node that uses the signals of all nodes. Its requests go through the log, and
 * their results are delivered to the mailbox of its session.
 *
 * <p>Whether a listener is full is known to its own node only and does not affect the choice of
 * recipients: a full listener is overrun.
 */
final class ReplicatedSignalClient implements SignalClient {
    private final ReplicatedSignals signals;
    private final ReplicatedSession session;
    private final boolean ownsSession;

    /**
     * @param ownsSession whether the session was opened for this client and ends with it
     */
    ReplicatedSignalClient(
            ReplicatedSignals signals, ReplicatedSession session, boolean ownsSession) {
        this.signals = signals;
        this.session = session;
        this.ownsSession = ownsSession;
    }

    @Override
    public void deliverTo(SignalListener signalListener) {
        signals.attach(session.id(), signalListener);
    }

    @Override
    public @Nullable Effect listen(long request, Key pattern, ByteString group) {
        return submit(new BatchItem.Listen(session.id(), request, pattern, group));
    }

    @Override
    public @Nullable Effect unlisten(long request, Key pattern, ByteString group) {
        return submit(new BatchItem.Unlisten(session.id(), request, pattern, group));
    }

    @Override
    public @Nullable Effect emit(long request, Key channel, ByteString payload) {
        return submit(new BatchItem.Emit(session.id(), request, channel, payload));
    }

    private @Nullable Effect submit(BatchItem batchItem) {
        session.submitSignal(batchItem);
        return null;
    }

    /** The registrations end with the session. */
    @Override
    public void stopListening() {
        signals.detach(session.id());
    }

    @Override
    public void close() {
        stopListening();
        if (ownsSession) {
            session.close(0);
        }
    }
}
