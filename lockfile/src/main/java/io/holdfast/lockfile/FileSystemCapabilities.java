package io.holdfast.lockfile;

import java.util.Locale;

/**
 * What the file system supports.
 *
 * @param links whether hard links can be created
 * @param keepsOpen whether a file can be renamed and removed while it is open
 */
record FileSystemCapabilities(boolean links, boolean keepsOpen) {
    static final FileSystemCapabilities POSIX = new FileSystemCapabilities(true, true);

    /**
     * On Windows a lock file is created in place, as the published protocol does. Not tested there.
     */
    static final FileSystemCapabilities WINDOWS = new FileSystemCapabilities(false, false);

    static FileSystemCapabilities here() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows")
                ? WINDOWS
                : POSIX;
    }
}
