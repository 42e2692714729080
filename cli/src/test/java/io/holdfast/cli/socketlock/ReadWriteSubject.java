package io.holdfast.cli.socketlock;

import io.holdfast.engine.ReadWriteMode;

import java.util.List;

/**
 * An implementation of one socketlock lock. Sessions are small numbers; a closed one is a new
 * connection when it is used again. Each call returns the lines that it sends to any session, in
 * order. Time starts at 0 and is advanced only by {@link #advanceTo}, which never skips a deadline.
 */
interface ReadWriteSubject {
    /** REQREAD or REQWRITE; 0 seconds for no TTL. */
    List<OutgoingLine> request(
            int session, String lock, ReadWriteMode readWriteMode, long ttlSeconds);

    /** CONFIRM. */
    List<OutgoingLine> confirm(int session, String lock);

    /** REJECT. */
    List<OutgoingLine> decline(int session, String lock);

    /** RELEASE. */
    List<OutgoingLine> release(int session, String lock);

    /** STATUS. */
    List<OutgoingLine> check(int session, String lock);

    /** The connection is closed. */
    List<OutgoingLine> close(int session);

    List<OutgoingLine> advanceTo(long nanos);
}
