package io.holdfast.cluster.raft;

import io.holdfast.cluster.ClusterException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Looks through the files of a log before Ratis does, which takes what it finds for all there was:
 * it begins anew where a file is empty, does not miss what is between a snapshot and the log, and
 * does not start after an end that was being written when the process was killed.
 */
final class LogCheck {
    private static final Logger LOG = LoggerFactory.getLogger(LogCheck.class);
    private static final Pattern SEGMENT = Pattern.compile("log_(\\d+)-(\\d+)");
    private static final Pattern LAST = Pattern.compile("log_inprogress_(\\d+)");
    private static final Pattern SNAPSHOT = Pattern.compile("snapshot\\.\\d+_(\\d+)");

    /**
     * A file of the log.
     *
     * @param end its last index; -1 if it is the one that is written to
     */
    private record Segment(Path file, long start, long end) {
        boolean isLast() {
            return end < 0;
        }
    }

    private LogCheck() {}

    /**
     * Checks the log of a group, and cuts off an entry at its end that was never finished.
     *
     * @param group where Ratis has it; need not be there
     * @param used whether something must be in it
     * @throws ClusterException if something is missing or damaged
     */
    static void check(Path group, boolean used) throws ClusterException {
        try {
            long snapshot = newestSnapshot(group.resolve("sm"));
            long next = -1;
            for (Segment segment : segments(group.resolve("current"))) {
                if (next >= 0 && segment.start() != next) {
                    throw damaged(segment.file(), "what comes before it is missing");
                }
                if (next < 0 && segment.start() > snapshot + 1) {
                    throw damaged(
                            segment.file(),
                            "it begins with entry "
                                    + segment.start()
                                    + ", and the newest snapshot ends with "
                                    + (snapshot < 0 ? "none" : "entry " + snapshot));
                }
                next = check(segment);
            }
            if (used && snapshot < 0 && next <= 0) {
                throw damaged(group, "it is empty");
            }
        } catch (ClusterException e) {
            throw e;
        } catch (IOException e) {
            throw new ClusterException("cannot read the log in " + group + ": " + e, e);
        }
    }

    private static ClusterException damaged(Path file, String why) {
        return new ClusterException(
                "the log is damaged: "
                        + file
                        + ": "
                        + why
                        + "; nothing was changed: restore a backup, or put another node in the"
                        + " place of this one (holdfast cluster replace)");
    }

    private static long newestSnapshot(Path folder) throws IOException {
        long newest = -1;
        for (Path file : files(folder)) {
            Matcher name = SNAPSHOT.matcher(String.valueOf(file.getFileName()));
            if (name.matches()) {
                newest = Math.max(newest, Long.parseLong(name.group(1)));
            }
        }
        return newest;
    }

    private static List<Segment> segments(Path folder) throws IOException {
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

    /** Returns the index that comes after it. */
    private static long check(Segment segment) throws IOException {
        SegmentBytes bytes = new SegmentBytes(Files.readAllBytes(segment.file()));
        if (bytes.hasHeader()) {
            bytes.readEntries();
        } else if (!segment.isLast() || !bytes.isHeaderUnfinished()) {
            throw damaged(segment.file(), "it does not begin as a log does");
        }
        long next = segment.start() + bytes.entries();
        if (!bytes.isAtEnd()) {
            if (!segment.isLast() || !bytes.isUnfinished()) {
                throw damaged(segment.file(), "entry " + next + " is not what was written");
            }
            cut(segment.file(), bytes.position(), next);
        }
        if (!segment.isLast() && next != segment.end() + 1) {
            throw damaged(segment.file(), "it has no entry " + next);
        }
        return next;
    }

    private static void cut(Path file, long length, long index) throws IOException {
        LOG.atWarn()
                .addKeyValue("file", file)
                .addKeyValue("entry", index)
                .log("the last entry was never finished, and promised to nobody: it is cut off");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
            channel.force(true);
        }
    }
}
