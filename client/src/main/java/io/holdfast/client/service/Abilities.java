package io.holdfast.client.service;

/** What a service can beyond plain dflockd. A plain one can nothing of it. */
public record Abilities(
        boolean tagged, boolean fences, boolean readWrite, boolean unbound, boolean resume) {
    public static final Abilities PLAIN = new Abilities(false, false, false, false, false);
    public static final Abilities ALL = new Abilities(true, true, true, true, true);
}
