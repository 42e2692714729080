/**
 * How nodes talk: connections that carry numbered calls and their answers, in the clear or over
 * mutual TLS. What is said is not known here.
 */
@org.jspecify.annotations.NullMarked
package io.holdfast.cluster.rpc;
