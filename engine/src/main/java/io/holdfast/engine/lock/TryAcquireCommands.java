package io.holdfast.engine.lock;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.KeyEvent;
import io.holdfast.engine.Quotas;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.Refusal;

import java.util.List;

/**
 * The commands of sessions that never wait and hold a key at most once: they refer to a hold by the
 * session and not by a token.
 */
final class TryAcquireCommands {
    private final EngineState state;
    private final RequestLifecycle lifecycle;

    TryAcquireCommands(EngineState state, RequestLifecycle lifecycle) {
        this.state = state;
        this.lifecycle = lifecycle;
    }

    void tryAcquire(Command.TryAcquire c, Quotas quotas, List<Effect> effects) {
        Resource resource = state.find(c.kind(), c.key());
        if (resource != null && resource.holdOf(c.session()) != null) {
            effects.add(
                    new Effect.TryAcquired(c.session(), c.request(), false, resource.holders()));
            return;
        }
        if (state.isQuarantined(c.kind())
                || (resource != null && !resource.admits(ReadWriteMode.WRITE))) {
            effects.add(Refusal.BUSY.to(c));
            return;
        }
        Quotas.Client client = state.client(c.session(), quotas);
        if (!quotas.reserveHold(client)) {
            effects.add(Refusal.TOO_MANY_KEYS.to(c));
            return;
        }
        if (resource == null) {
            if (!quotas.reserveTransientKey(c.key(), client)) {
                quotas.returnHold(client);
                effects.add(Refusal.TOO_MANY_KEYS.to(c));
                return;
            }
            resource = state.add(c.kind(), c.key(), 1);
            resource.creator = client;
        }
        state.touch(resource);
        Hold hold =
                Hold.of(
                        resource,
                        state.session(c.session(), client),
                        c.request(),
                        quotas.nextFence(),
                        c.salt(),
                        Command.FOREVER,
                        HoldAttributes.PLAIN);
        lifecycle.grant(hold, state.nowNanos);
        effects.add(new Effect.TryAcquired(c.session(), c.request(), true, resource.holders()));
    }

    void releaseBySession(Command.ReleaseBySession c, Quotas quotas, List<Effect> effects) {
        Resource resource = state.find(c.kind(), c.key());
        Hold hold = resource == null ? null : resource.holdOf(c.session());
        if (hold == null) {
            effects.add(Refusal.NOT_HELD.to(c));
            return;
        }
        effects.add(new Effect.Released(c.session(), c.request()));
        lifecycle.end(hold, KeyEvent.Type.RELEASED, quotas, effects);
    }

    void inspect(Command.Inspect c, List<Effect> effects) {
        Resource resource = state.find(c.kind(), c.key());
        boolean own = resource != null && resource.holdOf(c.session()) != null;
        int holders = resource == null ? 0 : resource.holders();
        effects.add(new Effect.Inspected(c.session(), c.request(), holders, own));
    }
}
