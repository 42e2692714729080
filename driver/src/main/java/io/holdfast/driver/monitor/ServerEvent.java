package io.holdfast.driver.monitor;

import io.holdfast.driver.ClientInfo;
import io.holdfast.engine.KeyEvent;

import org.jspecify.annotations.Nullable;

/** What those who watch are told. */
public sealed interface ServerEvent {
    /** Something happened to a key; the peer is null if its session ended long ago. */
    record OnKey(KeyEvent event, @Nullable ClientInfo peer) implements ServerEvent {}

    record SessionOpened(long session, ClientInfo peer, long atNanos) implements ServerEvent {}

    record SessionClosed(long session, ClientInfo peer, long atNanos) implements ServerEvent {}

    /** So many were missed here, because the reader was too slow. */
    record Gap(long missed) implements ServerEvent {}
}
