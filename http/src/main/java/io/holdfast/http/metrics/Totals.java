package io.holdfast.http.metrics;

import io.holdfast.driver.front.Backend;
import io.holdfast.driver.signal.SignalHub;
import io.holdfast.engine.Kind;
import io.holdfast.engine.UseCount;

/** What there is in the whole server, at the moment of asking. */
record Totals(Backend backend) {
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
        return backend.hubs().get().values().stream().mapToInt(SignalHub::listeners).sum();
    }
}
