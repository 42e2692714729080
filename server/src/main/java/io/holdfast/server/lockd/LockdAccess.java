package io.holdfast.server.lockd;

/**
 * What the clients of one listener may ask for.
 *
 * @param allowDump whether {@code d}, {@code sd}, {@code dump} and {@code who} are answered
 * @param enableRegistry whether {@code iam} and {@code who} are answered
 */
public record LockdAccess(boolean allowDump, boolean enableRegistry) {}
