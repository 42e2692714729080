package io.holdfast.lockfile;

/** Entitles a caller without the {@link Guard} to release a lock. */
public sealed interface ReleaseCredential {
    /** Releases the lock with this nonce, see {@link Guard#nonce()}. */
    static ReleaseCredential nonce(String nonce) {
        return new Nonce(nonce);
    }

    /** Releases the lock if it names this process id. */
    static ReleaseCredential pid(long pid) {
        return new Pid(pid);
    }

    /**
     * Releases the lock of any holder, as the command {@code release} does. Only a valid or
     * unfinished lock file is removed.
     */
    static ReleaseCredential none() {
        return new None();
    }

    record Nonce(String nonce) implements ReleaseCredential {}

    record Pid(long pid) implements ReleaseCredential {}

    record None() implements ReleaseCredential {}
}
