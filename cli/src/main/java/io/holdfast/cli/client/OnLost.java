package io.holdfast.cli.client;

/** What becomes of a command when what was held for it is lost. */
enum OnLost {
    TERM,
    KILL,
    IGNORE
}
