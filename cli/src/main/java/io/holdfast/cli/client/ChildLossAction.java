package io.holdfast.cli.client;

import java.util.Locale;

/** What to do with a command when the hold that it runs under is lost. */
enum ChildLossAction {
    TERM,
    KILL,
    IGNORE;

    /** Returns the value as it is written on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
