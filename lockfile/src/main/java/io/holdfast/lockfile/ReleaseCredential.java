package io.holdfast.lockfile;

/** What entitles somebody without the {@link Guard} to release a lock. */
public sealed interface ReleaseCredential {
    /** The lock has this nonce, which {@link Guard#nonce()} told. */
    static ReleaseCredential nonce(String nonce) {
        return new Nonce(nonce);
    }

    /** The lock names this process id. */
    static ReleaseCredential pid(long pid) {
        return new Pid(pid);
    }

    /**
     * None: whoever holds the lock loses it, as with the command {@code release}. Only what can be
     * recognised as a lock, finished or not, is removed.
     */
    static ReleaseCredential none() {
        return new None();
    }

    record Nonce(String nonce) implements ReleaseCredential {}

    record Pid(long pid) implements ReleaseCredential {}

    record None() implements ReleaseCredential {}
}
