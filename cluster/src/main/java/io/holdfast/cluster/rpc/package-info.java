/**
 * The transport between nodes: connections with numbered calls and their responses, without TLS or
 * over mutual TLS. The contents of the messages are opaque here.
 */
@org.jspecify.annotations.NullMarked
package io.holdfast.cluster.rpc;
