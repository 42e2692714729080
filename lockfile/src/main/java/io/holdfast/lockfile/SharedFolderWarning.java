package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Warns, once per folder, of folders in which every user can remove the locks of all others. */
final class SharedFolderWarning {
    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_ALL = 0002;

    /** Bounds the set of folders; there are no warnings for further ones. */
    private static final int MAX_FOLDERS = 1000;

    private static final Set<Path> WARNED = ConcurrentHashMap.newKeySet();

    private SharedFolderWarning() {}

    static void check(Path folder, Consumer<String> onWarning) {
        if (isOpenToAll(folder) && WARNED.size() < MAX_FOLDERS && WARNED.add(folder)) {
            onWarning.accept(
                    "every user can remove or replace lock files in "
                            + folder
                            + ": it is world-writable and has no sticky bit");
        }
    }

    private static boolean isOpenToAll(Path folder) {
        try {
            int mode = (Integer) Files.getAttribute(folder, "unix:mode");
            return (mode & WRITABLE_BY_ALL) != 0 && (mode & STICKY) == 0;
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return false; // no POSIX permissions here
        }
    }
}
