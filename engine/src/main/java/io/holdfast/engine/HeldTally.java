package io.holdfast.engine;

/** Counts what is held of one namespace and kind, and what is waited for. */
final class HeldTally {
    int keys;
    int holds;
    int waits;
}
