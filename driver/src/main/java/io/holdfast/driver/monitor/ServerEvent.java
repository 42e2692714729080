package io.holdfast.driver.monitor;

import io.holdfast.driver.ClientInfo;
import io.holdfast.engine.KeyEvent;

import org.jspecify.annotations.Nullable;

/** An event of the feed. */
public sealed interface ServerEvent {
    /** An event of a key; the peer is null if its session is not known any more. */
    record OnKey(KeyEvent event, @Nullable ClientInfo peer) implements ServerEvent {}

    record SessionOpened(long session, ClientInfo peer, long atNanos) implements ServerEvent {}

    record SessionClosed(long session, ClientInfo peer, long atNanos) implements ServerEvent {}

    /** A number of events was dropped here, because the subscriber was too slow. */
    record Gap(long missed) implements ServerEvent {}
}
