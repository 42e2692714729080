package io.holdfast.engine;

/**
 * Who renewed a hold of another session, by which request and when. It gets the hold if the session
 * that has it is ended for having fallen silent.
 */
record Successor(long session, long request, long atNanos) {}
