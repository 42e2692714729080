package io.holdfast.http.metrics;

import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.driver.signal.SignalService;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.ResourceKindUsage;

/** What there is in the whole server, at the moment of asking. */
record ServerTotals(FrontEndServices backend) {
    /** As in stats: dflockd's connections, and HTTP sessions. */
    int connections() {
        return backend.connections().get();
    }

    ResourceKindUsage locks() {
        return backend.driver().countUse(ResourceKind.LOCK);
    }

    ResourceKindUsage semaphores() {
        return backend.driver().countUse(ResourceKind.SEMAPHORE);
    }

    ResourceKindUsage shared() {
        return backend.driver().countUse(ResourceKind.SHARED);
    }

    int listeners() {
        return backend.signals().all().stream().mapToInt(SignalService::listeners).sum();
    }
}
