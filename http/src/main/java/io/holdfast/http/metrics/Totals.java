package io.holdfast.http.metrics;

import io.holdfast.driver.front.Backend;
import io.holdfast.driver.signal.Signals;
import io.holdfast.engine.Kind;
import io.holdfast.engine.UseCount;

/** What there is in the whole server, at the moment of asking. */
record Totals(Backend backend) {
    /** As in stats: dflockd's connections, and HTTP sessions. */
    int connections() {
        return backend.connections().get();
    }

    UseCount locks() {
        return backend.driver().countUse(Kind.MUTEX);
    }

    UseCount semaphores() {
        return backend.driver().countUse(Kind.SEMAPHORE);
    }

    UseCount shared() {
        return backend.driver().countUse(Kind.SHARED);
    }

    int listeners() {
        return backend.signals().all().stream().mapToInt(Signals::listeners).sum();
    }
}
