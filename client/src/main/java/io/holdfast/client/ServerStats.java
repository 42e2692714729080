package io.holdfast.client;

import java.util.List;

/**
 * The statistics of a server.
 *
 * {@snippet :
 * try (Hold hold = holdfast.lock("deploy").acquire(Duration.ofSeconds(10))) {
 *     for (ServerStats server : holdfast.stats()) {
 *         System.out.println(server.locks().get(0).key()); // deploy
 *     }
 * }
 * }
 *
 * @param address the address of the server
 * @param json the complete response of the server
 */
public record ServerStats(
        String address,
        long connections,
        List<HeldKey> locks,
        List<HeldKey> semaphores,
        String json) {
    /** A key in use. */
    public record HeldKey(String key, long holders, long limit, long waiters) {}
}
