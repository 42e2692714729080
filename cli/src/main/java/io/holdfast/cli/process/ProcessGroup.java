package io.holdfast.cli.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The processes that a terminal takes for one job. */
final class ProcessGroup {
    private static final Path SELF = Path.of("/proc/self/stat");

    private ProcessGroup() {}

    /**
     * Whether our group is the one that a terminal sends its signals to. Where that cannot be told
     * we take it so: a signal too few can be sent again, one too many cannot be taken back.
     */
    static boolean isInForeground() {
        try {
            return isInForeground(Files.readString(SELF, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return true;
        }
    }

    /** The name of the program stands in parentheses and may contain anything, even those. */
    static boolean isInForeground(String stat) {
        // Behind the name: state, parent, group, session, terminal, the terminal's group
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", 7);
        return fields.length < 6 || fields[2].equals(fields[5]);
    }
}
