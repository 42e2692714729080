package io.holdfast.client;

/**
 * What a server can beyond plain dflockd.
 *
 * {@snippet :
 * Features features = holdfast.features();
 * if (features.readWrite()) {
 *     holdfast.readWriteLock("page").read().acquire(Duration.ofSeconds(10)).close();
 * }
 * System.out.println(features.tagged()); // true
 * }
 *
 * @param tagged many requests at once over one connection
 * @param fences holds have fences
 * @param readWrite there are shared holds
 * @param unbound holds can outlive their connection
 * @param resume a session survives a short loss of its connection
 */
public record Features(
        boolean tagged, boolean fences, boolean readWrite, boolean unbound, boolean resume) {}
