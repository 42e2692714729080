package io.holdfast.server.dflockd;

import io.holdfast.protocol.dflockd.DflockdRequest;
import io.holdfast.server.connection.Connection;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;

/**
 * Opens or resumes the tagged session that a connection asks for. That may take several attempts:
 * until the grace of a new session is granted, or until the commands that were in flight in an
 * earlier connection have been applied. Confined to the event loop.
 */
final class TaggedSessionOpening {
    private final Connection<?> connection;
    private final DflockdService service;

    /** The session that is being resumed, or has been. */
    private @Nullable TaggedSession resumed;

    /** The grace of the session that is to be opened. */
    private @Nullable CompletableFuture<Long> grace;

    TaggedSessionOpening(Connection<?> connection, DflockdService service) {
        this.connection = connection;
        this.service = service;
    }

    boolean isResuming() {
        return resumed != null;
    }

    /** The session; null if another attempt is to be made at the next wake-up. */
    @Nullable TaggedSession attempt(DflockdRequest.Hello hello) {
        DflockdRequest.Resume resume = hello.resume();
        if (resumed == null && resume != null) {
            resumed = service.tagged().resume(resume, connection);
        }
        if (resumed != null) {
            return resumed.drainInFlight(connection) ? resumed : null;
        }
        CompletableFuture<Long> granted = grace(hello);
        if (!granted.isDone()) {
            return null;
        }
        String label = hello.label().isEmpty() ? connection.name() : hello.label();
        return service.tagged().open(connection, granted.join(), label);
    }

    private CompletableFuture<Long> grace(DflockdRequest.Hello hello) {
        CompletableFuture<Long> requested = grace;
        if (requested == null) {
            requested = service.graces().grant(hello.graceNanos());
            grace = requested;
            if (!requested.isDone()) {
                CompletableFuture<Void> _ = requested.thenRun(connection.mailbox()::wake);
            }
        }
        return requested;
    }

    /** The connection ends before the session is open. */
    void close() {
        if (resumed != null) {
            service.tagged().detach(resumed, connection, connection.context().executor());
        }
    }
}
