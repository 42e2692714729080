package io.holdfast.http.inspect;

import io.holdfast.http.immediate.ImmediateSession;
import io.holdfast.http.web.ApiRouter;

import java.time.Duration;

/** Everything there is to see, and what may be done about it. */
public final class InspectRoutes {
    private final ImmediateSession session;
    private final Duration ping;
    private final OperatorAudit operatorAudit = new OperatorAudit();

    /**
     * @param session for what is done by force
     * @param ping how often a stream that says nothing shows that it lives
     */
    public InspectRoutes(ImmediateSession session, Duration ping) {
        this.session = session;
        this.ping = ping;
    }

    public void addTo(ApiRouter apiRouter) {
        new KeyRoutes().addTo(apiRouter);
        new ConnectionRoutes().addTo(apiRouter);
        new WaitRoutes().addTo(apiRouter);
        new EventRoute(operatorAudit, ping).addTo(apiRouter);
        new StatsRoute().addTo(apiRouter);
        new AdminRoutes(session, operatorAudit).addTo(apiRouter);
    }
}
