package io.holdfast.client.internal.service;

/** The features of a service beyond plain dflockd, which has none of them. */
public record ServiceFeatures(
        boolean tagged, boolean fences, boolean readWrite, boolean unbound, boolean resume) {
    public static final ServiceFeatures PLAIN =
            new ServiceFeatures(false, false, false, false, false);
    public static final ServiceFeatures ALL = new ServiceFeatures(true, true, true, true, true);
}
