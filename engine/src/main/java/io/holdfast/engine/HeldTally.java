package io.holdfast.engine;

/** Counts what is held of one namespace and kind. */
final class HeldTally {
    int keys;
    int holds;
}
