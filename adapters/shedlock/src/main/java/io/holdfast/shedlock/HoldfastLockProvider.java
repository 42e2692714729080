package io.holdfast.shedlock;

import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

import java.util.Optional;

/**
 * Stores ShedLock's locks in a Holdfast server. A lock ends when it is unlocked, not before its
 * {@code lockAtLeastFor}, and after its {@code lockAtMostFor} in any case: it is not renewed, and
 * neither the end of the connection nor that of this process ends it. Closing the client leaves
 * locks as they are.
 *
 * <p>The prefix with the name of a lock must be a valid key: up to 256 bytes without whitespace.
 *
 * {@snippet :
 * @Bean
 * LockProvider lockProvider(Holdfast client) {
 *     return new HoldfastLockProvider(client);
 * }
 * }
 */
public final class HoldfastLockProvider implements ExtensibleLockProvider {
    private static final String PREFIX = "shedlock:";

    private final Holdfast client;
    private final String prefix;

    /**
     * The key of a lock is {@code shedlock:} followed by its name.
     *
     * @throws IllegalArgumentException if the server is a plain dflockd, which cannot keep a lock
     *     after its holder has disconnected
     */
    public HoldfastLockProvider(Holdfast client) {
        this(client, PREFIX);
    }

    /**
     * The key of a lock is the prefix, which may be empty, followed by its name.
     *
     * @throws IllegalArgumentException if the server is a plain dflockd, which cannot keep a lock
     *     after its holder has disconnected
     */
    public HoldfastLockProvider(Holdfast client, String prefix) {
        if (!client.features().unbound()) {
            throw new IllegalArgumentException(
                    "ShedLock needs a Holdfast server: this one is a plain dflockd, where a lock"
                            + " ends with the connection of its holder (there are no unbound"
                            + " holds)");
        }
        this.client = client;
        this.prefix = prefix;
    }

    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        // ShedLock counts both times from before the request.
        long lockedAtNanos = System.nanoTime();
        Optional<Hold> hold =
                client.lock(prefix + configuration.getName())
                        .lease(configuration.getLockAtMostFor())
                        .renew(false)
                        .unbound()
                        .tryAcquire();
        return hold.map(held -> new HeldLock(configuration, held, lockedAtNanos));
    }
}
