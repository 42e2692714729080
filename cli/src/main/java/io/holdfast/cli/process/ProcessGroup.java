package io.holdfast.cli.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The process group of this process. */
final class ProcessGroup {
    private static final Path SELF = Path.of("/proc/self/stat");

    private ProcessGroup() {}

    /**
     * Whether the terminal sends its signals to this process group. True if it cannot be
     * determined: a signal that is not forwarded can be sent again, one that is delivered twice
     * cannot be undone.
     */
    static boolean isInForeground() {
        try {
            return isInForeground(Files.readString(SELF, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return true;
        }
    }

    /** The program's name is in parentheses and may contain any character, also parentheses. */
    static boolean isInForeground(String stat) {
        // After the name: state, parent, group, session, terminal, the terminal's group
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", 7);
        return fields.length < 6 || fields[2].equals(fields[5]);
    }
}
