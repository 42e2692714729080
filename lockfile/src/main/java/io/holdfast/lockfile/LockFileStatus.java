package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** A lock as it was observed at one moment; it may have changed since. */
public final class LockFileStatus {
    /** What is at the path of a lock. */
    public enum Found {
        NOTHING("nothing"),
        FILE("a file that names no holder"),
        UNREADABLE_FILE("a file that may not be read"),
        FOLDER("a folder"),
        LINK("a symbolic link"),
        OTHER("neither a file nor a folder");

        private final String text;

        Found(String text) {
            this.text = text;
        }
    }

    private final Path path;
    private final Found found;
    private final LockFileContent lockFileContent;
    private final @Nullable Holder holder;
    private final Duration age;
    private final boolean stale;
    private final boolean obtainable;
    private final ProcessLiveness processLiveness;
    private final boolean inFuture;
    private final boolean own;

    LockFileStatus(
            Path path,
            Found found,
            LockFileContent lockFileContent,
            @Nullable Holder holder,
            Duration age,
            boolean stale,
            boolean obtainable,
            ProcessLiveness processLiveness,
            boolean inFuture,
            boolean own) {
        this.path = path;
        this.found = found;
        this.lockFileContent = lockFileContent;
        this.holder = holder;
        this.age = age;
        this.stale = stale;
        this.obtainable = obtainable;
        this.processLiveness = processLiveness;
        this.inFuture = inFuture;
        this.own = own;
    }

    /** The lock file. */
    public Path path() {
        return path;
    }

    /** Whether anything is at the path. */
    public boolean isLocked() {
        return found != Found.NOTHING;
    }

    public Found found() {
        return found;
    }

    /** What the file contains; {@link LockFileContent#FOREIGN} if it is no readable file. */
    public LockFileContent content() {
        return lockFileContent;
    }

    /** The holder, if the file names one. */
    public Optional<Holder> holder() {
        return Optional.ofNullable(holder);
    }

    /** How old the lock is, in whole seconds; zero if that is not known, or in the future. */
    public Duration age() {
        return age;
    }

    /** Whether the lock is older than the stale timeout, by its age alone. */
    public boolean isStale() {
        return stale;
    }

    /** Whether the lock could be acquired: it is free, or stale and may be taken over. */
    public boolean isObtainable() {
        return obtainable;
    }

    /** Whether the process that the file names runs on this host. */
    public ProcessLiveness alive() {
        return processLiveness;
    }

    /** Whether the timestamp is in the future. Such a lock becomes stale only after that time. */
    public boolean isInFuture() {
        return inFuture;
    }

    /** Whether the file names this process as the holder. */
    public boolean isOwnedByCurrentProcess() {
        return own;
    }

    String holderText() {
        if (found == Found.NOTHING) {
            return "a process that has just released it";
        }
        if (holder == null) {
            return "an unknown holder: the path is " + whatIsThere();
        }
        return "process "
                + holder.pid()
                + (holder.host() == null ? "" : " on " + LockFileWriter.clean(holder.host()))
                + (holder.tag() == null || holder.tag().isEmpty()
                        ? ""
                        : " (" + LockFileWriter.clean(holder.tag()) + ")")
                + " since "
                + UnixTimestamps.text(
                        holder.acquired() == null ? holder.timestamp() : holder.acquired());
    }

    String whatIsThere() {
        return found == Found.FILE && lockFileContent == LockFileContent.DEBRIS
                ? "an unfinished lock file"
                : found.text;
    }

    @Override
    public String toString() {
        return path + (isLocked() ? " held by " + holderText() : " free");
    }
}
