package io.holdfast.socketlock.internal.primary;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Identifies a process, so that other processes of the host can detect whether it has ended. A pid
 * alone does not: it is reused, and has another meaning in another container.
 */
public final class ProcessIdentity {
    /** An unknown process, which is never considered gone. */
    public static final ProcessIdentity UNKNOWN = new ProcessIdentity("-", "-", 0, 0);

    private static final Path PROC = Path.of("/proc");
    private static final int PARTS = 4;

    /**
     * Indexes of the state and the start time among the fields after the program name in {@code
     * stat}.
     */
    private static final int STATE_FIELD = 0;

    private static final int START_FIELD = 19;

    private static final ProcessIdentity OWN = findOwn();

    private final String boot;
    private final String namespace;
    private final long pid;

    /** In ticks since the boot; in milliseconds since 1970 where there is no {@code /proc}. */
    private final long start;

    private ProcessIdentity(String boot, String namespace, long pid, long start) {
        this.boot = boot;
        this.namespace = namespace;
        this.pid = pid;
        this.start = start;
    }

    /** This process. */
    public static ProcessIdentity own() {
        return OWN;
    }

    /** The process with this pid, as seen by this process; unknown if it has ended. */
    public static ProcessIdentity of(long pid) {
        if (pid <= 0 || OWN.pid == 0) {
            return UNKNOWN;
        }
        long start = startOf(pid);
        return start == 0 ? UNKNOWN : new ProcessIdentity(OWN.boot, OWN.namespace, pid, start);
    }

    /** Parses the result of {@link #toString}; unknown if the text is malformed. */
    public static ProcessIdentity parse(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length != PARTS || parts[0].isEmpty() || parts[1].isEmpty()) {
            return UNKNOWN;
        }
        try {
            long pid = Long.parseLong(parts[2]);
            long start = Long.parseLong(parts[3]);
            return pid > 0 && start > 0 && text.length() <= HoldRecord.MAX_PROCESS_CHARS
                    ? new ProcessIdentity(parts[0], parts[1], pid, start)
                    : UNKNOWN;
        } catch (NumberFormatException e) {
            return UNKNOWN;
        }
    }

    public boolean isKnown() {
        return pid != 0;
    }

    /** The boot id of this host; "-" if it is not available. */
    static String ownBoot() {
        return OWN.boot;
    }

    /** Whether the process has certainly ended. */
    public boolean isGone() {
        if (!isKnown() || !OWN.isKnown()) {
            return false;
        }
        if (!boot.equals(OWN.boot)) {
            return !boot.equals("-") && !OWN.boot.equals("-");
        }
        if (!namespace.equals(OWN.namespace)) {
            return false; // the same pid is another process here
        }
        return hasProc() ? isGoneFromProc() : startByHandle(pid) != start;
    }

    private boolean isGoneFromProc() {
        try {
            String[] fields = stat(pid);
            if (Long.parseLong(fields[START_FIELD]) != start) {
                return true;
            }
            boolean ended = fields[STATE_FIELD].equals("Z") || fields[STATE_FIELD].equals("X");
            return ended && threads(pid) <= 1; // the first thread may end before the others
        } catch (IOException | RuntimeException e) {
            // With hidepid, only the user's own processes are visible: then 1/stat is missing too.
            return Files.exists(PROC.resolve("1/stat"))
                    && !Files.exists(PROC.resolve(Long.toString(pid)));
        }
    }

    private static long threads(long pid) throws IOException {
        try (Stream<Path> threads = Files.list(PROC.resolve(pid + "/task"))) {
            return threads.count();
        }
    }

    private static boolean hasProc() {
        return !OWN.boot.equals("-");
    }

    private static ProcessIdentity findOwn() {
        long pid = ProcessHandle.current().pid();
        try {
            // A /proc of another pid namespace shows other pids.
            if (Files.readSymbolicLink(PROC.resolve("self"))
                    .toString()
                    .equals(Long.toString(pid))) {
                String boot = Files.readString(PROC.resolve("sys/kernel/random/boot_id")).strip();
                // Start times are relative to the reader's time namespace.
                return new ProcessIdentity(
                        boot,
                        namespace("pid") + "." + namespace("time"),
                        pid,
                        Long.parseLong(stat(pid)[START_FIELD]));
            }
        } catch (IOException | RuntimeException e) {
            return Files.exists(PROC) ? UNKNOWN : byHandle(pid);
        }
        return UNKNOWN;
    }

    /** The id of a namespace of this process; 0 if the system has none of that kind. */
    private static String namespace(String kind) throws IOException {
        Path link = PROC.resolve("self/ns/" + kind);
        return Files.exists(link, LinkOption.NOFOLLOW_LINKS)
                ? Files.readSymbolicLink(link).toString().replaceAll("[^0-9]", "")
                : "0";
    }

    private static ProcessIdentity byHandle(long pid) {
        long start = startByHandle(pid);
        return start == 0 ? UNKNOWN : new ProcessIdentity("-", "-", pid, start);
    }

    private static long startOf(long pid) {
        if (!hasProc()) {
            return startByHandle(pid);
        }
        try {
            return Long.parseLong(stat(pid)[START_FIELD]);
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    /** 0 if the process has ended or cannot be queried. */
    private static long startByHandle(long pid) {
        Optional<Instant> start =
                ProcessHandle.of(pid).flatMap(handle -> handle.info().startInstant());
        return start.map(Instant::toEpochMilli).orElse(0L);
    }

    /** The fields after the program name, which is in parentheses and may contain spaces. */
    private static String[] stat(long pid) throws IOException {
        byte[] bytes = Files.readAllBytes(PROC.resolve(pid + "/stat"));
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        return text.substring(text.lastIndexOf(')') + 2).split(" ");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ProcessIdentity name
                && name.pid == pid
                && name.start == start
                && name.namespace.equals(namespace)
                && name.boot.equals(boot);
    }

    @Override
    public int hashCode() {
        return Objects.hash(boot, namespace, pid, start);
    }

    /** Without whitespace; parsed by {@link #parse}. */
    @Override
    public String toString() {
        return boot + ":" + namespace + ":" + pid + ":" + start;
    }
}
