package io.holdfast.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How a key stands. A lock and a semaphore of the same name are two things.
 *
 * {@snippet :
 * try (Hold hold = holdfast.lock("deploy").acquire(Duration.ofSeconds(10))) {
 *     KeyInfo.ResourceInfo lock = holdfast.info("deploy").lock().orElseThrow();
 *     System.out.println(lock.held() + " and " + lock.waiters()); // 1 and 0
 * }
 * }
 *
 * @param lock empty if the server knows no lock of that name
 * @param semaphore empty if it knows no semaphore of that name
 */
public record KeyInfo(String key, Optional<ResourceInfo> lock, Optional<ResourceInfo> semaphore) {
    /**
     * A lock or a semaphore.
     *
     * @param limit how many may hold it, 1 for a lock
     * @param held how many do
     * @param waiters how many wait for it
     * @param holders those that the server tells about, perhaps not all
     * @param position of this client in the queue, 1 for the next; empty if it does not wait or the
     *     server does not say
     */
    public record ResourceInfo(
            long limit, long held, long waiters, List<Holder> holders, OptionalLong position) {}

    /**
     * One that holds it.
     *
     * @param session number of its session at the server, 0 if that is gone
     * @param label who it is, empty if the server does not know
     * @param lease what is left of it; empty if it has none
     */
    public record Holder(
            long session,
            String label,
            OptionalLong fence,
            boolean shared,
            Optional<Duration> lease) {}
}
