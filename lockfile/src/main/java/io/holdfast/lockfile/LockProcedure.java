package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
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

    /** What came of a release or a heartbeat: not null if the lock was lost. */
    record Ending(@Nullable LockLostException lost) {
        static final Ending GOOD = new Ending(null);
    }

    private enum Removal {
        DONE,
        /** Nothing was there. */
        GONE,
        /** Something else was there, and is again. */
        OTHER
    }

    /** What is said once. */
    private enum Warning {
        NO_SIDECAR,
        NOT_REMOVED
    }

    /** Lets time pass, more or less. */
    interface Pause {
        void of(Duration time);
    }

    private static final int TURNS = 3;
    private static final Duration AT_ONCE = Duration.ZERO;
    private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(2);
    private static final Duration BEAT_PATIENCE = Duration.ofMillis(100);

    /** After a takeover without the sidecar: long enough to notice most others who did so too. */
    private static final Duration UNGUARDED_SETTLE = Duration.ofMillis(50);

    private static final Duration HELPER_LIFE = Duration.ofHours(1);

    private final Disk disk;
    private final LockPaths paths;
    private final LockFileConfig config;
    private final Platform platform;
    private final Pause pause;
    private final Judge judge;
    private final Set<Warning> warned = EnumSet.noneOf(Warning.class);

    LockProcedure(
            Disk disk, LockPaths paths, LockFileConfig config, Platform platform, Pause pause) {
        this.disk = disk;
        this.paths = paths;
        this.config = config;
        this.platform = platform;
        this.pause = pause;
        this.judge = new Judge(paths.lock(), config);
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
            warnOfNoSidecar(e);
            published = work.run();
            settle = settle.compareTo(UNGUARDED_SETTLE) < 0 ? UNGUARDED_SETTLE : settle;
        }
        return published ? settled(draft.held(), settle) : refused();
    }

    /** Removes what was judged, if it still is what it was. */
    private boolean isGone(Sighting stale) throws IOException {
        Sighting again = sight();
        if (again == null) {
            return true;
        }
        if (!again.isSame(stale) || !judge.mayBeTaken(again)) {
            return false;
        }
        try {
            return removeAside(again) != Removal.OTHER;
        } catch (FileSystemException e) {
            warn(
                    Warning.NOT_REMOVED,
                    "the stale lock " + paths.lock() + " cannot be removed: " + Failures.why(e));
            return false;
        }
    }

    private Attempt refused() throws IOException {
        return new Attempt.Refused(status());
    }

    private Attempt settled(Held held, Duration time) throws IOException {
        if (time.isZero()) {
            return new Attempt.Acquired(held);
        }
        pause.of(time);
        try {
            if (owns(held)) {
                return new Attempt.Acquired(held);
            }
        } catch (IOException e) {
            Quietly.run(() -> release(held));
            close(held);
            throw e;
        }
        close(held);
        return refused();
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
                        return new Ending(lost(held, before));
                    }
                    rewrite(held, file, held.stamped(seconds()));
                    Sighting after = sight();
                    return held.isSeenIn(after) ? Ending.GOOD : new Ending(lost(held, after));
                };
        // In place, through the open file: if somebody removed it, nobody is harmed.
        Optional<Ending> ending = underSidecar(BEAT_PATIENCE, work);
        return ending.isPresent() ? ending.get() : work.run();
    }

    private static void rewrite(Held held, Disk.OwnFile file, byte[] content) throws IOException {
        held.writing(content);
        file.rewrite(content);
        held.written(content);
    }

    /** Removes the lock, if it is still ours. Does not close it. */
    Ending release(Held held) throws IOException {
        Optional<Ending> ending =
                underSidecar(
                        RELEASE_PATIENCE,
                        () -> {
                            Sighting seen = sight();
                            if (seen == null || !held.isSeenIn(seen)) {
                                return new Ending(lost(held, seen));
                            }
                            return removeAside(seen) == Removal.DONE
                                    ? Ending.GOOD
                                    : new Ending(lost(held));
                        });
        return ending.isPresent() ? ending.get() : abandon(held);
    }

    /**
     * For when the sidecar is not to be had: somebody may be about to remove a file, and must find
     * the one that was judged. So the name stays taken, by a lock that everybody finds stale.
     */
    private Ending abandon(Held held) throws IOException {
        Sighting seen = sight();
        if (!held.isSeenIn(seen)) {
            return new Ending(lost(held, seen));
        }
        Disk.OwnFile file = held.file();
        if (file != null) {
            rewrite(held, file, held.abandoned());
        }
        config.onWarning()
                .accept(
                        paths.sidecar()
                                + " is locked by another process for long; "
                                + paths.lock()
                                + " was released, but its file stays until somebody takes it over");
        return Ending.GOOD;
    }

    /** Removes a lock that somebody else made, or that another process of ours left. */
    boolean release(Proof proof) throws IOException {
        return remove(
                seen -> {
                    Status status = judge.status(seen);
                    Holder holder = seen.file().holder();
                    boolean recognised = holder != null || seen.file().content() == Content.DEBRIS;
                    boolean proven;
                    if (proof instanceof Proof.None) {
                        proven = recognised;
                    } else {
                        recognised = holder != null;
                        proven = holder != null && isProven(proof, holder, seen.file().pidEnded());
                    }
                    if (!recognised) {
                        throw new DamagedLockException(status);
                    }
                    if (!proven) {
                        throw new NotOwnerException(status);
                    }
                });
    }

    private static boolean isProven(Proof proof, Holder holder, boolean pidEnded) {
        if (proof instanceof Proof.Nonce nonce) {
            return nonce.nonce().equals(holder.nonce());
        }
        return proof instanceof Proof.Pid pid && pidEnded && pid.pid() == holder.pid();
    }

    /** Removes any file or link. */
    boolean forceRelease() throws IOException {
        return remove(
                seen -> {
                    Disk.Kind kind = seen.entry().kind();
                    if (kind != Disk.Kind.FILE && kind != Disk.Kind.LINK) {
                        throw new DamagedLockException(judge.status(seen));
                    }
                });
    }

    private interface Objection {
        /** Throws if this may not be removed. */
        void raise(Sighting seen);
    }

    private boolean remove(Objection objection) throws IOException {
        for (int turn = 1; ; turn++) {
            Removal removal =
                    underSidecar(
                                    RELEASE_PATIENCE,
                                    () -> {
                                        Sighting seen = sight();
                                        if (seen == null) {
                                            return Removal.GONE;
                                        }
                                        objection.raise(seen);
                                        return removeAside(seen);
                                    })
                            .orElseThrow(() -> new IOException(paths.sidecar() + " is in use"));
            if (removal != Removal.OTHER) {
                return removal == Removal.DONE;
            }
            if (turn == TURNS) {
                throw new IOException(paths.lock() + " keeps changing");
            }
        }
    }

    /** Removes what was made in place and not finished, if it is that. */
    void removeUnfinished(Predicate<Sighting> isOurs) throws IOException {
        underSidecar(
                RELEASE_PATIENCE,
                () -> {
                    Sighting seen = sight();
                    return seen != null && isOurs.test(seen) && removeAside(seen) == Removal.DONE;
                });
    }

    boolean clean() throws IOException {
        boolean removed = false;
        Sighting seen = sight();
        if (seen != null && judge.mayBeTaken(seen)) {
            removed = underSidecar(AT_ONCE, () -> isGone(seen)).orElse(false);
        }
        Instant old = judge.now().minus(HELPER_LIFE);
        for (String name : disk.list(paths.folder(), paths.helperPrefix())) {
            removed |= LockPaths.isHelper(name) && removeHelper(name, old);
        }
        for (String name : disk.list(paths.folder(), paths.name() + ".")) {
            removed |= paths.isForeignHelper(name) && removeHelper(name, old);
        }
        return removed;
    }

    private boolean removeHelper(String name, Instant old) throws IOException {
        Path helper = paths.folder().resolve(name);
        Disk.Entry entry = disk.look(helper);
        if (entry == null || entry.kind() != Disk.Kind.FILE || !entry.modified().isBefore(old)) {
            return false;
        }
        try {
            disk.delete(helper);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Empty, and nothing was done, if others had the sidecar all the time. */
    private <T> Optional<T> underSidecar(Duration patience, Disk.Action<T> work)
            throws IOException {
        try {
            return disk.locked(paths.sidecar(), patience, work);
        } catch (Disk.NoSidecarException e) {
            warnOfNoSidecar(e);
            return Optional.of(work.run());
        }
    }

    /** The only way in which anything is removed from the path. */
    private Removal removeAside(Sighting judged) throws IOException {
        Path aside = paths.oldHelper();
        try {
            disk.rename(paths.lock(), aside);
        } catch (NoSuchFileException e) {
            return Removal.GONE;
        }
        Sighting moved = Sighting.of(disk, aside);
        if (moved == null || moved.isSame(judged)) {
            Quietly.run(() -> disk.delete(aside));
            return Removal.DONE;
        }
        putBack(aside);
        return Removal.OTHER;
    }

    private void putBack(Path aside) throws IOException {
        try {
            disk.link(aside, paths.lock());
            Quietly.run(() -> disk.delete(aside));
            return;
        } catch (FileAlreadyExistsException e) {
            // told below
        } catch (FileSystemException | UnsupportedOperationException e) {
            // Links are not possible, or not of a file of another user.
            if (disk.look(paths.lock()) == null) {
                disk.rename(aside, paths.lock());
                return;
            }
        }
        config.onWarning()
                .accept(
                        "a holder of "
                                + paths.lock()
                                + " was displaced by a program that removes or overwrites locks;"
                                + " its file is now "
                                + aside);
    }

    private void warnOfNoSidecar(Disk.NoSidecarException e) {
        warn(
                Warning.NO_SIDECAR,
                Failures.why(e)
                        + "; without it two processes that take over "
                        + paths.lock()
                        + " at the same time might both succeed");
    }

    private void warn(Warning which, String text) {
        synchronized (warned) {
            if (!warned.add(which)) {
                return;
            }
        }
        config.onWarning().accept(text);
    }
}
