package io.holdfast.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of a key. A lock and a semaphore with the same key are two independent resources.
 *
 * {@snippet :
 * try (Hold hold = holdfast.lock("deploy").acquire(Duration.ofSeconds(10))) {
 *     KeyInfo.ResourceInfo lock = holdfast.info("deploy").lock().orElseThrow();
 *     System.out.println(lock.held() + " and " + lock.waiters()); // 1 and 0
 * }
 * }
 *
 * @param lock empty if the server has no lock with that key
 * @param semaphore empty if the server has no semaphore with that key
 */
public record KeyInfo(String key, Optional<ResourceInfo> lock, Optional<ResourceInfo> semaphore) {
    /**
     * The state of a lock or a semaphore.
     *
     * @param limit the maximum number of holders, 1 for a lock
     * @param held the number of holders
     * @param waiters the number of waiters
     * @param holders the holders that the server lists, which may not be all
     * @param position the position of this client in the queue, 1 for the next; empty if it does
     *     not wait or the server does not report it
     */
    public record ResourceInfo(
            long limit, long held, long waiters, List<Holder> holders, OptionalLong position) {}

    /**
     * A holder.
     *
     * @param session the number of its session at the server, 0 if the session has ended
     * @param label the label of its client, empty if it has none
     * @param lease the remaining time of its lease; empty if it has no lease
     */
    public record Holder(
            long session,
            String label,
            OptionalLong fence,
            boolean shared,
            Optional<Duration> lease) {}
}
