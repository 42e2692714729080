package io.holdfast.shedlock;

import io.holdfast.client.Hold;
import io.holdfast.client.Holdfast;

import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

import java.util.Optional;

/**
 * Keeps ShedLock's locks at a Holdfast server. A lock ends when it is unlocked, not before its
 * {@code lockAtLeastFor}, and after its {@code lockAtMostFor} in any case: it is not renewed, and
 * neither the end of the connection nor that of this process ends it. Closing the client leaves
 * locks as they are.
 *
 * <p>Names of locks, behind the prefix, must be keys of Holdfast: up to 256 bytes, no blanks.
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
     * A lock's key is {@code shedlock:} and its name.
     *
     * @throws IllegalArgumentException if the server cannot keep a lock for somebody who is away:
     *     it is a plain dflockd
     */
    public HoldfastLockProvider(Holdfast client) {
        this(client, PREFIX);
    }

    /**
     * A lock's key is the prefix, which may be empty, and its name.
     *
     * @throws IllegalArgumentException if the server cannot keep a lock for somebody who is away:
     *     it is a plain dflockd
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
        // ShedLock counts both times from before it asks.
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
