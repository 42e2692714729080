package io.holdfast.cli.client;

import java.util.Locale;

/** What becomes of a command when what was held for it is lost. */
enum LossAction {
    TERM,
    KILL,
    IGNORE;

    /** As it is written on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
