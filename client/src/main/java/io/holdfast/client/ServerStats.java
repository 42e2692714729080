package io.holdfast.client;

import java.util.List;

/**
 * What a server tells about itself.
 *
 * {@snippet :
 * try (Hold hold = holdfast.lock("deploy").acquire(Duration.ofSeconds(10))) {
 *     for (ServerStats server : holdfast.stats()) {
 *         System.out.println(server.locks().get(0).key()); // deploy
 *     }
 * }
 * }
 *
 * @param address where it is
 * @param json all of it, as the server wrote it
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
