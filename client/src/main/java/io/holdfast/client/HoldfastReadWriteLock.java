package io.holdfast.client;

/**
 * A lock with many readers or one writer; first come, first served.
 *
 * {@snippet :
 * HoldfastReadWriteLock page = holdfast.readWriteLock("page");
 * try (Hold one = page.read().acquire(Duration.ofSeconds(10));
 *         Hold two = page.read().acquire(Duration.ofSeconds(10))) {
 *     System.out.println(page.write().tryAcquire().isPresent()); // false
 * }
 * }
 */
public interface HoldfastReadWriteLock {
    String key();

    HoldfastLock read();

    HoldfastLock write();
}
