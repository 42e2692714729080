package io.holdfast.http.metrics;

import io.holdfast.driver.frontend.Backend;
import io.holdfast.driver.signal.SignalService;
import io.holdfast.engine.Kind;
import io.holdfast.engine.KindUsage;

/** What there is in the whole server, at the moment of asking. */
record Totals(Backend backend) {
    /** As in stats: dflockd's connections, and HTTP sessions. */
    int connections() {
        return backend.connections().get();
    }

    KindUsage locks() {
        return backend.driver().countUse(Kind.LOCK);
    }

    KindUsage semaphores() {
        return backend.driver().countUse(Kind.SEMAPHORE);
    }

    KindUsage shared() {
        return backend.driver().countUse(Kind.SHARED);
    }

    int listeners() {
        return backend.signals().all().stream().mapToInt(SignalService::listeners).sum();
    }
}
