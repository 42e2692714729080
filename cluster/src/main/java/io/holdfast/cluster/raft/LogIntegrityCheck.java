package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterException;
import io.holdfast.driver.DurableFile;
import io.holdfast.driver.FailureText;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks the files of a log before Ratis reads them. Ratis itself accepts whatever it finds: it
 * starts over where a file is empty, does not detect a gap between a snapshot and the log or a
 * missing end, and fails on a write that a power failure has left unfinished.
 */
final class LogIntegrityCheck {
    static final String REMEDY =
            "Nothing was changed; restore a backup (holdfast cluster restore), or replace this node"
                    + " if there are others (holdfast cluster replace)";

    private static final Logger LOG = LoggerFactory.getLogger(LogIntegrityCheck.class);
    private static final Pattern SEGMENT = Pattern.compile("log_(\\d+)-(\\d+)");
    private static final Pattern LAST = Pattern.compile("log_inprogress_(\\d+)");
    private static final Pattern SNAPSHOT = Pattern.compile("snapshot\\.(\\d+)_(\\d+)");

    /**
     * A segment file of the log.
     *
     * @param end its last index; -1 if it is the open segment
     */
    record Segment(Path file, long start, long end) {
        boolean isLast() {
            return end < 0;
        }

        /**
         * Renames the file after the entries in it: Ratis removes entries from the end of a file
         * before it renames the file, and a crash can come in between.
         */
        void endBefore(long next) throws IOException {
            LOG.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("last_entry", next - 1)
                    .log(
                            "a crash interrupted the removal of entries that were never"
                                    + " committed; renaming the log file");
            Files.move(
                    file,
                    file.resolveSibling("log_" + start + "-" + (next - 1)),
                    StandardCopyOption.ATOMIC_MOVE);
            DurableFile.syncFolder(file.toAbsolutePath().getParent());
        }
    }

    private LogIntegrityCheck() {}

    /**
     * Checks the log of a Raft group. Truncates an unreadable end if nothing in it was
     * acknowledged, and completes an interrupted removal of entries from the end.
     *
     * @param group the directory of the group; may be missing
     * @param used whether the log must have entries
     * @param acknowledged the index of the last entry that must be in the log or in a snapshot; -1
     *     if none
     * @throws ClusterException if something is missing or damaged
     */
    static void check(Path group, boolean used, long acknowledged) throws ClusterException {
        try {
            long snapshot = newestSnapshot(group.resolve("sm"));
            long next = -1;
            @Nullable Tail tail = null;
            @Nullable Segment truncated = null;
            List<Segment> segments = segments(group.resolve("current"));
            for (Segment segment : segments) {
                if (tail != null) {
                    throw tail.damaged();
                }
                if (next >= 0 && segment.start() != next) {
                    throw damaged(segment.file(), "the entries before it are missing");
                }
                if (next < 0 && segment.start() > snapshot + 1) {
                    throw damaged(
                            segment.file(),
                            "it begins with entry "
                                    + segment.start()
                                    + ", and the newest snapshot ends with "
                                    + (snapshot < 0 ? "none" : "entry " + snapshot));
                }
                LogSegmentReader bytes =
                        new LogSegmentReader(Files.readAllBytes(segment.file()), segment.start());
                next = check(segment, bytes, acknowledged);
                if (!segment.isLast() && next != segment.end() + 1) {
                    if (!segment.equals(segments.getLast())
                            || next == segment.start()
                            || next > segment.end()
                            || next <= acknowledged) {
                        throw damaged(segment.file(), "it has no entry " + next);
                    }
                    truncated = segment;
                }
                tail = bytes.isAtEnd() ? null : new Tail(segment.file(), next, bytes);
            }
            if (used && snapshot < 0 && next <= 0) {
                throw damaged(group, "it is empty");
            }
            long last = Math.max(snapshot, next - 1);
            if (last < acknowledged) {
                throw damaged(
                        group.resolve("current"),
                        "the log ends with "
                                + (last < 0 ? "nothing" : "entry " + last)
                                + ", and this node has acknowledged entry "
                                + acknowledged);
            }
            if (tail != null) {
                tail.truncate();
            }
            if (truncated != null) {
                truncated.endBefore(next);
            }
        } catch (ClusterException e) {
            throw e;
        } catch (IOException e) {
            throw new ClusterException(
                    "cannot read the log in " + group + ": " + FailureText.of(e, group), e);
        }
    }

    private static ClusterException damaged(Path file, String why) {
        return new ClusterException("the log is damaged: " + file + ": " + why + ". " + REMEDY);
    }

    static long newestSnapshot(Path folder) throws IOException {
        return newestSnapshotFile(folder).map(LogIntegrityCheck::snapshotIndex).orElse(-1L);
    }

    /** Returns the snapshot of the highest index in a directory. */
    static Optional<Path> newestSnapshotFile(Path folder) throws IOException {
        return files(folder).stream()
                .filter(file -> snapshotIndex(file) >= 0)
                .max(Comparator.comparingLong(LogIntegrityCheck::snapshotIndex));
    }

    /** Returns the index in the name of a snapshot; -1 if it is another file. */
    static long snapshotIndex(Path file) {
        Matcher name = SNAPSHOT.matcher(String.valueOf(file.getFileName()));
        return name.matches() ? Long.parseLong(name.group(2)) : -1;
    }

    /** Returns the term in the name of a snapshot; -1 if it is another file. */
    static long snapshotTerm(Path file) {
        Matcher name = SNAPSHOT.matcher(String.valueOf(file.getFileName()));
        return name.matches() ? Long.parseLong(name.group(1)) : -1;
    }

    /** Lists the segments in the directory of a log, in order. */
    static List<Segment> segments(Path folder) throws IOException {
        List<Segment> segments = new ArrayList<>();
        for (Path file : files(folder)) {
            Matcher whole = SEGMENT.matcher(String.valueOf(file.getFileName()));
            Matcher last = LAST.matcher(String.valueOf(file.getFileName()));
            if (whole.matches()) {
                segments.add(
                        new Segment(
                                file,
                                Long.parseLong(whole.group(1)),
                                Long.parseLong(whole.group(2))));
            } else if (last.matches()) {
                segments.add(new Segment(file, Long.parseLong(last.group(1)), -1));
            }
        }
        segments.sort(Comparator.comparingLong(Segment::start));
        return segments;
    }

    private static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    /** Returns the index that comes after the last entry that can be read. */
    private static long check(Segment segment, LogSegmentReader bytes, long acknowledged)
            throws ClusterException {
        if (bytes.hasHeader()) {
            bytes.readEntries();
        } else if (!segment.isLast() || segment.start() <= acknowledged) {
            throw damaged(segment.file(), "it does not begin with the header of a log file");
        }
        long next = segment.start() + bytes.entries();
        if (!bytes.isAtEnd() && (!segment.isLast() || next <= acknowledged)) {
            throw new Tail(segment.file(), next, bytes).damaged();
        }
        return next;
    }

    /**
     * The bytes after the last readable entry of a segment.
     *
     * @param index the index of the entry that should begin there
     */
    private record Tail(Path file, long index, LogSegmentReader bytes) {
        ClusterException damaged() {
            return LogIntegrityCheck.damaged(file, "entry " + index + " is not readable");
        }

        void truncate() throws IOException {
            LOG.atWarn()
                    .addKeyValue("file", file)
                    .addKeyValue("entry", index)
                    .addKeyValue("bytes", bytes.unreadable())
                    .log(
                            "the log ends with an unfinished write that was never acknowledged;"
                                    + " truncating it");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(bytes.position());
                channel.force(true);
            }
        }
    }
}
