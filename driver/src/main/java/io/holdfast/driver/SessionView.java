package io.holdfast.driver;

/**
 * An open session at one moment.
 *
 * @param openNanos how long it has been open
 * @param holds how many slots it holds
 * @param waits how many lines it stands in
 */
public record SessionView(
        long id, String protocol, String name, long openNanos, int holds, int waits) {}
