package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * How a lock file is made, kept and removed.
 *
 * <p>It appears by an operation that fails if anything is there, with its content in place. It is
 * removed while holding the lock on the sidecar: between the last look and the removal the name is
 * taken, so nobody can make a new file there, and everybody who could remove the old one needs the
 * sidecar. Hence what is removed is what was judged. For programs that know no sidecar there is a
 * net: the file is moved aside, looked at once more, and put back if it is another one.
 */
final class LockProcedure {
    /** What came of an attempt. */
    sealed interface Attempt {
        record Acquired(Held held) implements Attempt {}

        record Refused(Status status) implements Attempt {}
    }

    /**
     * What came of a release or a heartbeat.
     *
     * @param lost null if it was still ours
     * @param left whether it was released but its file is still there
     */
    record Ending(@Nullable LockLostException lost, boolean left) {
        static final Ending GOOD = new Ending(null, false);
        static final Ending LEFT = new Ending(null, true);

        static Ending lost(LockLostException lost) {
            return new Ending(lost, false);
        }
    }

    /** Lets time pass, more or less. */
    interface Pause {
        void of(Duration time);
    }

    private static final int TURNS = 3;
    private static final Duration AT_ONCE = Duration.ZERO;
    static final Duration RELEASE_PATIENCE = Duration.ofSeconds(2);
    private static final Duration BEAT_PATIENCE = Duration.ofMillis(100);

    /** After a takeover without the sidecar: long enough to notice most others who did so too. */
    private static final Duration UNGUARDED_SETTLE = Duration.ofMillis(50);

    private final Disk disk;
    private final LockPaths paths;
    private final LockFileConfig config;
    private final Platform platform;
    private final Pause pause;
    private final Judge judge;
    private final Removal removal;
    private final Clearing clearing;

    LockProcedure(
            Disk disk, LockPaths paths, LockFileConfig config, Platform platform, Pause pause) {
        this.disk = disk;
        this.paths = paths;
        this.config = config;
        this.platform = platform;
        this.pause = pause;
        this.judge = new Judge(paths.lock(), config);
        this.removal = new Removal(disk, paths, config, platform);
        this.clearing = new Clearing(disk, paths, judge, removal);
    }

    Path path() {
        return paths.lock();
    }

    LockFileConfig config() {
        return config;
    }

    Status status() throws IOException {
        return judge.status(sight());
    }

    private @Nullable Sighting sight() throws IOException {
        return Sighting.of(disk, paths.lock());
    }

    Attempt attempt(@Nullable String tag) throws IOException {
        try (var undisturbed = new Undisturbed()) {
            return undisturbed.call(() -> attemptOnce(tag));
        }
    }

    private Attempt attemptOnce(@Nullable String tag) throws IOException {
        try {
            return attempt(tag, platform.links());
        } catch (Draft.NoLinksException e) {
            removal.setNoLinks();
            return attempt(tag, false);
        }
    }

    private Attempt attempt(@Nullable String tag, boolean links) throws IOException {
        Draft draft = null;
        try {
            for (int turn = 1; ; turn++) {
                Sighting seen = sight();
                if (turn > TURNS || (seen != null && !judge.mayBeTaken(seen))) {
                    return new Attempt.Refused(judge.status(seen));
                }
                if (draft == null) {
                    draft = draft(tag, links);
                }
                if (seen != null) {
                    return takeOver(seen, draft);
                }
                if (draft.publish()) {
                    return settled(draft.held(), config.settleTime());
                }
            }
        } finally {
            if (draft != null) {
                draft.discard();
            }
        }
    }

    private Draft draft(@Nullable String tag, boolean links) throws IOException {
        Holder holder = holder(tag);
        return links
                ? new Draft.Linked(disk, paths, holder, config.privateFile())
                : new Draft.Direct(
                        disk, paths, holder, config.privateFile(), platform.keepsOpen(), this);
    }

    private Holder holder(@Nullable String tag) {
        long pid = config.pid().orElse(OwnProcess.PID);
        Long start =
                pid == OwnProcess.PID
                        ? OwnProcess.START
                        : config.processes().apply(pid).map(OwnProcess::start).orElse(null);
        long now = seconds();
        return new Holder(
                pid,
                now,
                tag == null ? null : LockFile.tag(tag, config.maxTagLength()),
                LockPaths.randomHex(),
                start,
                OwnProcess.HOST,
                now);
    }

    private long seconds() {
        return Math.max(0, judge.now().getEpochSecond());
    }

    private Attempt takeOver(Sighting stale, Draft draft) throws IOException {
        Disk.Action<Boolean> work = () -> isGone(stale) && draft.publish();
        Duration settle = config.settleTime();
        boolean published;
        try {
            published = disk.locked(paths.sidecar(), AT_ONCE, work).orElse(false);
        } catch (Disk.NoSidecarException e) {
            removal.warnOfNoSidecar(e);
            published = work.run();
            settle = settle.compareTo(UNGUARDED_SETTLE) < 0 ? UNGUARDED_SETTLE : settle;
        } catch (IOException | RuntimeException e) {
            if (draft.published) { // and then something failed: nobody would get the guard
                Quietly.run(() -> release(draft.held()));
                close(draft.held());
            }
            throw e;
        }
        return published ? settled(draft.held(), settle) : refused();
    }

    /** Removes what was judged, if it still is what it was. */
    private boolean isGone(Sighting stale) throws IOException {
        Sighting again = sight();
        if (again == null) {
            return true;
        }
        if (!judge.isStillToBeTaken(again, stale)) {
            return false;
        }
        try {
            return removal.aside(again) != Removal.Outcome.OTHER;
        } catch (FileSystemException e) {
            removal.warn(
                    Removal.Warning.NOT_REMOVED,
                    "the stale lock " + paths.lock() + " cannot be removed: " + Failures.why(e));
            return false;
        }
    }

    private Attempt refused() throws IOException {
        return new Attempt.Refused(status());
    }

    private Attempt settled(Held held, Duration time) throws IOException {
        boolean late = isLate(held);
        if (time.isZero() && !late) {
            return new Attempt.Acquired(held);
        }
        pause.of(time);
        try {
            if ((!late || beat(held).lost() == null) && owns(held)) {
                return new Attempt.Acquired(held);
            }
        } catch (IOException | RuntimeException e) {
            Quietly.run(() -> release(held));
            close(held);
            throw e;
        }
        close(held);
        return refused();
    }

    /** Whoever was stopped between dating its lock and publishing it may be stale to others. */
    private boolean isLate(Held held) {
        long beat = Math.max(1, config.heartbeatInterval().toSeconds());
        return seconds() - held.holder().timestamp() > beat;
    }

    boolean owns(Held held) throws IOException {
        return held.isSeenIn(sight());
    }

    /** What to say if {@link #owns} is false. */
    LockLostException lost(Held held) throws IOException {
        return lost(held, sight());
    }

    private LockLostException lost(Held held, @Nullable Sighting seen) {
        LockLostException.Reason reason;
        if (seen == null) {
            reason = LockLostException.Reason.REMOVED;
        } else if (held.hasIdentity(seen)) {
            reason = LockLostException.Reason.OVERWRITTEN;
        } else {
            reason = LockLostException.Reason.TAKEN_OVER;
        }
        return new LockLostException(reason, judge.status(seen));
    }

    void close(Held held) {
        Disk.OwnFile file = held.file();
        if (file != null) {
            Quietly.run(file::close);
        }
    }

    /** Dates the lock anew, if it is still ours. */
    Ending beat(Held held) throws IOException {
        Disk.OwnFile file = held.file();
        if (file == null) {
            return Ending.GOOD;
        }
        Disk.Action<Ending> work =
                () -> {
                    Sighting before = sight();
                    if (!held.isSeenIn(before)) {
                        return Ending.lost(lost(held, before));
                    }
                    rewrite(held, file, held.stamped(seconds()));
                    Sighting after = sight();
                    return held.isSeenIn(after) ? Ending.GOOD : Ending.lost(lost(held, after));
                };
        // In place, through the open file: if somebody removed it, nobody is harmed.
        Optional<Ending> ending = removal.underSidecar(BEAT_PATIENCE, work);
        return ending.isPresent() ? ending.get() : work.run();
    }

    private static void rewrite(Held held, Disk.OwnFile file, byte[] content) throws IOException {
        held.writing(content);
        file.rewrite(content);
        held.written(content);
    }

    /** Removes the lock, if it is still ours. Does not close it. */
    Ending release(Held held) throws IOException {
        try {
            Optional<Ending> ending = remove(held);
            return ending.isPresent()
                    ? ending.get()
                    : abandon(held, "another process has " + paths.sidecar() + " for long");
        } catch (IOException e) {
            return abandon(held, Failures.why(e));
        }
    }

    /** Removes the file of a lock that was released before, if it is still there. */
    boolean removeLeft(Held held) throws IOException {
        return remove(held).isPresent();
    }

    /** Empty, and nothing was done, if others had the sidecar all the time. */
    private Optional<Ending> remove(Held held) throws IOException {
        return removal.underSidecar(
                RELEASE_PATIENCE,
                () -> {
                    Sighting seen = sight();
                    if (seen == null || !held.isSeenIn(seen)) {
                        return Ending.lost(lost(held, seen));
                    }
                    return removal.aside(seen) == Removal.Outcome.DONE
                            ? Ending.GOOD
                            : Ending.lost(lost(held));
                });
    }

    /**
     * For when the sidecar is not to be had: somebody may be about to remove a file, and must find
     * the one that was judged. So the name stays taken, by a lock that everybody finds stale.
     */
    private Ending abandon(Held held, String why) throws IOException {
        Sighting seen = sight();
        if (!held.isSeenIn(seen)) {
            return Ending.lost(lost(held, seen));
        }
        Disk.OwnFile file = held.file();
        if (file == null) {
            throw new IOException(why);
        }
        rewrite(held, file, held.abandoned());
        config.onWarning()
                .accept(
                        paths.lock()
                                + " was released, but its file could not be removed: "
                                + why
                                + ". It is stale for everybody");
        return Ending.LEFT;
    }

    /** Removes what was made in place and not finished, if it is that. */
    void removeUnfinished(Predicate<Sighting> isOurs) throws IOException {
        removal.underSidecar(
                RELEASE_PATIENCE,
                () -> {
                    Sighting seen = sight();
                    return seen != null
                            && isOurs.test(seen)
                            && removal.aside(seen) == Removal.Outcome.DONE;
                });
    }

    /** See {@link Clearing#release}. */
    boolean release(Proof proof) throws IOException {
        return clearing.release(proof);
    }

    /** See {@link Clearing#forceRelease}. */
    boolean forceRelease() throws IOException {
        return clearing.forceRelease();
    }

    /** See {@link Clearing#clean}. */
    boolean clean() throws IOException {
        return clearing.clean();
    }
}
