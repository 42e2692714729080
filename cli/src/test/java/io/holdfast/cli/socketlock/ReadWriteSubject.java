package io.holdfast.cli.socketlock;

import io.holdfast.engine.Mode;

import java.util.List;

/**
 * Something that keeps one socketlock lock. Sessions are small numbers; one that was closed is a
 * new connection when it is used again. Each call tells what is said by it, in order, to whomever.
 * Time starts at 0 and stands still but for {@link #advanceTo}, which never passes a deadline.
 */
interface ReadWriteSubject {
    /** REQREAD or REQWRITE; 0 seconds are no TTL. */
    List<Telling> ask(int session, String lock, Mode mode, long ttlSeconds);

    /** CONFIRM. */
    List<Telling> confirm(int session, String lock);

    /** REJECT. */
    List<Telling> decline(int session, String lock);

    /** RELEASE. */
    List<Telling> giveUp(int session, String lock);

    /** STATUS. */
    List<Telling> check(int session, String lock);

    /** The connection ends. */
    List<Telling> close(int session);

    List<Telling> advanceTo(long nanos);
}
