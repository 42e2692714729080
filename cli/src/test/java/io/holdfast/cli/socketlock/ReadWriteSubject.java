package io.holdfast.cli.socketlock;

import io.holdfast.engine.ReadWriteMode;

import java.util.List;

/**
 * Something that keeps one socketlock lock. Sessions are small numbers; one that was closed is a
 * new connection when it is used again. Each call tells what is said by it, in order, to whomever.
 * Time starts at 0 and stands still but for {@link #advanceTo}, which never passes a deadline.
 */
interface ReadWriteSubject {
    /** REQREAD or REQWRITE; 0 seconds are no TTL. */
    List<OutgoingLine> ask(int session, String lock, ReadWriteMode readWriteMode, long ttlSeconds);

    /** CONFIRM. */
    List<OutgoingLine> confirm(int session, String lock);

    /** REJECT. */
    List<OutgoingLine> decline(int session, String lock);

    /** RELEASE. */
    List<OutgoingLine> giveUp(int session, String lock);

    /** STATUS. */
    List<OutgoingLine> check(int session, String lock);

    /** The connection ends. */
    List<OutgoingLine> close(int session);

    List<OutgoingLine> advanceTo(long nanos);
}
