package io.holdfast.client.service;

/** What a service can beyond plain dflockd. A plain one can nothing of it. */
public record ServiceFeatures(
        boolean tagged, boolean fences, boolean readWrite, boolean unbound, boolean resume) {
    public static final ServiceFeatures PLAIN =
            new ServiceFeatures(false, false, false, false, false);
    public static final ServiceFeatures ALL = new ServiceFeatures(true, true, true, true, true);
}
