package io.holdfast.server.dflockd;

import io.holdfast.engine.Namespace;
import io.holdfast.server.listener.ListenerOptions;

/** The options of a dflockd listener. */
public record DflockdOptions(Namespace namespace) implements ListenerOptions {}
