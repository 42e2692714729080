package io.holdfast.driver.watch;

import io.holdfast.driver.Peer;
import io.holdfast.engine.Event;

import org.jspecify.annotations.Nullable;

/** What those who watch are told. */
public sealed interface Happening {
    /** Something happened to a key; the peer is null if its session ended long ago. */
    record OnKey(Event event, @Nullable Peer peer) implements Happening {}

    record Opened(long session, Peer peer, long atNanos) implements Happening {}

    record Closed(long session, Peer peer, long atNanos) implements Happening {}

    /** So many were missed here, because the reader was too slow. */
    record Gap(long missed) implements Happening {}
}
