package io.holdfast.driver.lagging;

import io.holdfast.driver.ClientInfo;
import io.holdfast.driver.Driver;
import io.holdfast.driver.EffectMailbox;
import io.holdfast.driver.Session;
import io.holdfast.driver.signal.SignalClient;
import io.holdfast.driver.signal.SignalEmitter;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.view.TrackedRequestView;

import java.util.List;

/** A session of a {@link LaggingDriver}. */
final class LaggingSession implements Session, EffectMailbox {
    private final LaggingDriver driver;
    private final EffectMailbox effectMailbox;
    private final Session behind;

    /** The request being applied, while it has no effect; only used by the applying thread. */
    private long unanswered;

    LaggingSession(
            LaggingDriver driver, Driver to, EffectMailbox effectMailbox, ClientInfo clientInfo) {
        this.driver = driver;
        this.effectMailbox = effectMailbox;
        this.behind = to.open(this, clientInfo);
    }

    @Override
    public long id() {
        return behind.id();
    }

    @Override
    public boolean submit(Command.Keyed command) {
        driver.later(() -> apply(command));
        return false;
    }

    private void apply(Command.Keyed command) {
        if (driver.isUndecided()) {
            effectMailbox.add(new Effect.Refused(id(), command.request(), Refusal.UNAVAILABLE));
        } else {
            unanswered = command.request();
            boolean _ = behind.submit(command);
            if (unanswered != 0) {
                unanswered = 0;
                effectMailbox.onPending(command.request());
            }
        }
        effectMailbox.wake();
    }

    /** Signals do not lag. */
    @Override
    public SignalClient openSignals(SignalEmitter signalEmitter) {
        return behind.openSignals(signalEmitter);
    }

    @Override
    public List<TrackedRequestView> trackedRequests(long after, int most) {
        return behind.trackedRequests(after, most);
    }

    @Override
    public boolean isHolding() {
        return behind.isHolding();
    }

    @Override
    public void close(long lastAnswered, Runnable released) {
        driver.later(() -> behind.close(lastAnswered, released));
    }

    @Override
    public void add(Effect effect) {
        if (driver.isApplying() && effect.request() == unanswered) {
            unanswered = 0;
        }
        effectMailbox.add(effect);
    }

    @Override
    public void wake() {
        effectMailbox.wake();
    }

    @Override
    public boolean kick() {
        return effectMailbox.kick();
    }
}
