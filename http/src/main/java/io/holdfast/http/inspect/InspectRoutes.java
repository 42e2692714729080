package io.holdfast.http.inspect;

import io.holdfast.http.prompt.PromptSession;
import io.holdfast.http.web.Api;

import java.time.Duration;

/** Everything there is to see, and what may be done about it. */
public final class InspectRoutes {
    private final PromptSession session;
    private final Duration ping;
    private final Audit audit = new Audit();

    /**
     * @param session for what is done by force
     * @param ping how often a stream that says nothing shows that it lives
     */
    public InspectRoutes(PromptSession session, Duration ping) {
        this.session = session;
        this.ping = ping;
    }

    public void addTo(Api api) {
        new KeyRoutes().addTo(api);
        new ConnectionRoutes().addTo(api);
        new WaitRoutes().addTo(api);
        new EventRoute(audit, ping).addTo(api);
        new StatsRoute().addTo(api);
        new AdminRoutes(session, audit).addTo(api);
    }
}
