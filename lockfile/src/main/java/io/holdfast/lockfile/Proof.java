package io.holdfast.lockfile;

/** What entitles somebody without the {@link Guard} to release a lock. */
public sealed interface Proof {
    /** The lock has this nonce, which {@link Guard#nonce()} told. */
    static Proof nonce(String nonce) {
        return new Nonce(nonce);
    }

    /** The lock names this process id. */
    static Proof pid(long pid) {
        return new Pid(pid);
    }

    /**
     * None: whoever holds the lock loses it, as with the command {@code release}. Only what can be
     * recognised as a lock, finished or not, is removed.
     */
    static Proof none() {
        return new None();
    }

    record Nonce(String nonce) implements Proof {}

    record Pid(long pid) implements Proof {}

    record None() implements Proof {}
}
