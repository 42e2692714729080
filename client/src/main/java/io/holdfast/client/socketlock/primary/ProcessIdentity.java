package io.holdfast.client.socketlock.primary;

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
 * Which process somebody is, so that others on the same host can tell whether it is gone: a process
 * number alone is used again and again, and means another process in another container.
 */
public final class ProcessIdentity {
    /** Nothing is known, so nobody can say that it is gone. */
    public static final ProcessIdentity UNKNOWN = new ProcessIdentity("-", "-", 0, 0);

    private static final Path PROC = Path.of("/proc");
    private static final int PARTS = 4;

    /** Of the fields behind the program's name in {@code stat}: the state and the start. */
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

    /** A process that this one sees under that number; unknown if it is gone already. */
    public static ProcessIdentity of(long pid) {
        if (pid <= 0 || OWN.pid == 0) {
            return UNKNOWN;
        }
        long start = startOf(pid);
        return start == 0 ? UNKNOWN : new ProcessIdentity(OWN.boot, OWN.namespace, pid, start);
    }

    /** What {@link #toString} made; unknown if it is anything else. */
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

    /** The boot of this host; "-" if nobody can tell. */
    static String ownBoot() {
        return OWN.boot;
    }

    /** Whether the process has surely ended. */
    public boolean isGone() {
        if (!isKnown() || !OWN.isKnown()) {
            return false;
        }
        if (!boot.equals(OWN.boot)) {
            return !boot.equals("-") && !OWN.boot.equals("-");
        }
        if (!namespace.equals(OWN.namespace)) {
            return false; // what has this number here is another process
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
            // With hidepid only one's own processes can be seen there.
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
            // A /proc of another namespace shows other numbers.
            if (Files.readSymbolicLink(PROC.resolve("self"))
                    .toString()
                    .equals(Long.toString(pid))) {
                String boot = Files.readString(PROC.resolve("sys/kernel/random/boot_id")).strip();
                // Starts are told in the reader's time namespace.
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

    /** The number of one of this process's namespaces; 0 if the system has none of that kind. */
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

    /** 0 if it is gone or cannot be asked. */
    private static long startByHandle(long pid) {
        Optional<Instant> start =
                ProcessHandle.of(pid).flatMap(handle -> handle.info().startInstant());
        return start.map(Instant::toEpochMilli).orElse(0L);
    }

    /** The fields behind the name of the program, which is in parentheses and may have blanks. */
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

    /** One word, to be read by {@link #parse}. */
    @Override
    public String toString() {
        return boot + ":" + namespace + ":" + pid + ":" + start;
    }
}
