package io.holdfast.lockfile;

import java.util.Locale;

/**
 * What the system's files can do.
 *
 * @param links whether a file can get a second name
 * @param keepsOpen whether a file can be renamed and removed while it is open
 */
record Platform(boolean links, boolean keepsOpen) {
    static final Platform POSIX = new Platform(true, true);

    /** The published protocol's way there: create-new in place. Not tested on that system. */
    static final Platform WINDOWS = new Platform(false, false);

    static Platform here() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows")
                ? WINDOWS
                : POSIX;
    }
}
