package io.holdfast.http.inspect;

import io.holdfast.http.immediate.SharedImmediateSession;
import io.holdfast.http.web.ApiRouter;

import java.time.Duration;

/** All routes that show the state of the server, and the operator actions. */
public final class InspectRoutes {
    private final SharedImmediateSession session;
    private final Duration ping;
    private final OperatorAudit operatorAudit = new OperatorAudit();

    /**
     * @param session executes the operator actions
     * @param ping interval of the pings on event streams
     */
    public InspectRoutes(SharedImmediateSession session, Duration ping) {
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
