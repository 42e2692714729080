package io.holdfast.engine;

/** The time in which an engine grants nothing that excludes others; it ends like a lease. */
final class RestartQuarantine extends Deadline {}
