package io.holdfast.server.lockd;

/**
 * The commands that clients of one listener may use.
 *
 * @param allowDump whether {@code d}, {@code sd}, {@code dump} and {@code who} are allowed
 * @param enableRegistry whether {@code iam} and {@code who} are enabled
 */
public record LockdCommandPermissions(boolean allowDump, boolean enableRegistry) {}
