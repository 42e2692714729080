package io.holdfast.client;

/**
 * The features of a server that a plain dflockd does not have.
 *
 * {@snippet :
 * Features features = holdfast.features();
 * if (features.readWrite()) {
 *     holdfast.readWriteLock("page").read().acquire(Duration.ofSeconds(10)).close();
 * }
 * System.out.println(features.tagged()); // true
 * }
 *
 * @param tagged many requests can be in flight on one connection
 * @param fences holds have fences
 * @param readWrite there are read/write locks
 * @param unbound holds can outlive their connection
 * @param resume a session can be resumed after a short loss of its connection
 */
public record Features(
        boolean tagged, boolean fences, boolean readWrite, boolean unbound, boolean resume) {}
