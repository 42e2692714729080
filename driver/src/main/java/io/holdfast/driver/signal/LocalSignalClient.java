package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Refusal;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** A client of a hub: each request has its result at once. */
final class LocalSignalClient implements SignalClient {
    private final SignalHub hub;
    private final long session;
    private final SignalEmitter signalEmitter;
    private @Nullable Subscriber subscriber;
    private boolean stopped;

    LocalSignalClient(SignalHub hub, long session, SignalEmitter signalEmitter) {
        this.hub = hub;
        this.session = session;
        this.signalEmitter = signalEmitter;
    }

    @Override
    public void deliverTo(SignalListener signalListener) {
        subscriber = hub.open(signalListener);
    }

    @Override
    public Effect listen(long request, Key pattern, ByteString group) {
        if (subscriber == null) {
            throw new IllegalStateException("listen before deliverTo");
        }
        return subscriber.listen(pattern, group) == ListenOutcome.LISTENING
                ? new Effect.Changed(session, request)
                : new Effect.Refused(session, request, Refusal.TOO_MANY_ENTRIES);
    }

    @Override
    public Effect unlisten(long request, Key pattern, ByteString group) {
        if (subscriber != null) {
            subscriber.unlisten(pattern, group);
        }
        return new Effect.Changed(session, request);
    }

    @Override
    public Effect emit(long request, Key channel, ByteString payload) {
        SignalRecipients recipients = hub.choose(channel);
        signalEmitter.examined(recipients.cost());
        List<SignalListener> listeners = recipients.listeners();
        if (!listeners.isEmpty()) {
            Signal signal = signalEmitter.create(channel, payload, listeners.size());
            listeners.forEach(listener -> listener.deliver(signal));
        }
        return new Effect.Counted(session, request, listeners.size());
    }

    /** Ends all registrations; on another thread if there are many. */
    @Override
    public void stopListening() {
        if (subscriber == null || stopped) {
            return;
        }
        stopped = true;
        if (subscriber.isSmall()) {
            subscriber.close();
        } else {
            Thread.startVirtualThread(subscriber::close);
        }
    }

    @Override
    public void close() {
        stopListening();
    }
}
