package io.holdfast.lockfile;

import java.util.Locale;

/**
 * What the system's files can do.
 *
 * @param links whether a file can get a second name
 * @param keepsOpen whether a file can be renamed and removed while it is open
 */
record FileSystemCapabilities(boolean links, boolean keepsOpen) {
    static final FileSystemCapabilities POSIX = new FileSystemCapabilities(true, true);

    /** The published protocol's way there: create-new in place. Not tested on that system. */
    static final FileSystemCapabilities WINDOWS = new FileSystemCapabilities(false, false);

    static FileSystemCapabilities here() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows")
                ? WINDOWS
                : POSIX;
    }
}
