package io.holdfast.http.metrics;

import io.holdfast.driver.frontend.FrontEndServices;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.view.ResourceKindUsage;

/** Totals of the server, read when a method is called. */
record ServerTotals(FrontEndServices backend) {
    /** The number in stats: dflockd connections and HTTP sessions. */
    int connections() {
        return backend.connections().get();
    }

    ResourceKindUsage locks() {
        return backend.driver().queries().countUse(ResourceKind.LOCK);
    }

    ResourceKindUsage semaphores() {
        return backend.driver().queries().countUse(ResourceKind.SEMAPHORE);
    }

    ResourceKindUsage shared() {
        return backend.driver().queries().countUse(ResourceKind.SHARED);
    }

    int listeners() {
        return backend.driver().signals().listeners();
    }
}
