package io.holdfast.cli.serve.toy;

import io.holdfast.engine.Namespace;
import io.holdfast.server.listener.ListenerOptions;

/**
 * The options of a listener.
 *
 * @param end added to each response
 */
record ToyOptions(Namespace namespace, String end) implements ListenerOptions {}
