package io.holdfast.lockfile;

import io.holdfast.lockfile.LockFileOperations.Attempt;
import io.holdfast.lockfile.SimulatedFolder.Inode;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A process that uses this library and calls the heartbeat itself. */
final class LibraryProcess implements SimulatedProcess.Program {
    private final MutualExclusionChecker mutualExclusionChecker;
    private final int turns;
    private final List<String> warnings = new ArrayList<>();
    private final List<IOException> failedAttempts = new ArrayList<>();
    private final List<IOException> otherFailures = new ArrayList<>();
    private Duration settle = Duration.ZERO;
    private int longestWork = 6;
    private int beatOdds = 2;
    private int acquired;
    private int losses;
    private int displaced;
    private int deceived;
    private int unnoticed;
    private int leftBehind;

    LibraryProcess(MutualExclusionChecker mutualExclusionChecker, int turns) {
        this.mutualExclusionChecker = mutualExclusionChecker;
        this.turns = turns;
    }

    /** Works for longer, and refreshes the lock less often. */
    LibraryProcess slow() {
        longestWork = 25;
        beatOdds = 8;
        return this;
    }

    LibraryProcess settling(Duration time) {
        settle = time;
        return this;
    }

    static LockFileOperations operations(
            SimulatedProcess self, Duration settle, List<String> warnings) {
        LockFileConfig config =
                LockFileConfig.builder()
                        .staleTimeout(Simulation.STALE)
                        .settleTime(settle)
                        .pid(self.pid)
                        .clock(self.simulation().clock())
                        .processes(pid -> Optional.empty())
                        .onLost(lost -> {})
                        .onWarning(warnings::add)
                        .build();
        return new LockFileOperations(
                self.disk,
                new LockPaths(Simulation.FOLDER, Simulation.LOCK.getFileName().toString()),
                config,
                FileSystemCapabilities.POSIX,
                time -> self.step("settles"));
    }

    /** Makes one attempt, without a release. */
    static void enterAndStay(SimulatedProcess self, MutualExclusionChecker mutualExclusionChecker)
            throws IOException {
        LockFileOperations operations = operations(self, Duration.ZERO, new ArrayList<>());
        if (operations.attempt(null) instanceof Attempt.Acquired) {
            mutualExclusionChecker.enters(self);
        }
        self.audit.check();
    }

    @Override
    public void run(SimulatedProcess self) throws IOException {
        LockFileOperations operations = operations(self, settle, warnings);
        for (int i = 0; i < turns; i++) {
            if (self.simulation().oneIn(8)) {
                clean(self, operations);
            }
            self.busy();
            Guard guard = attempt(self, operations);
            if (guard != null) {
                hold(self, guard);
            }
            self.idle();
            self.step("waits");
        }
    }

    private void clean(SimulatedProcess self, LockFileOperations operations) {
        try {
            operations.clean();
        } catch (IOException e) {
            otherFailures.add(e);
        }
        self.audit.check();
    }

    private @Nullable Guard attempt(SimulatedProcess self, LockFileOperations operations) {
        int sidecarTimeouts = self.disk.sidecarTimeouts();
        Inode before = self.simulation().folder().at(Simulation.LOCK);
        try {
            if (operations.attempt(null) instanceof Attempt.Acquired success) {
                return new Guard(operations, success.held());
            }
        } catch (IOException e) {
            failedAttempts.add(e);
            Inode there = self.simulation().folder().at(Simulation.LOCK);
            boolean isLeft = there != null && there != before && there.maker == self;
            leftBehind += isLeft && self.disk.sidecarTimeouts() == sidecarTimeouts ? 1 : 0;
        }
        self.audit.check();
        return null;
    }

    private void hold(SimulatedProcess self, Guard guard) {
        acquired++;
        int overlapsBefore = mutualExclusionChecker.overlapsOf(self);
        mutualExclusionChecker.enters(self);
        work(self, guard);
        mutualExclusionChecker.leaves(self);
        boolean gone = !isSomewhere(self, guard);
        boolean noticed = !release(guard);
        self.simulation().trace(self, noticed ? "has noticed that it lost the lock" : "released");
        self.audit.check();
        losses += noticed ? 1 : 0;
        displaced += gone ? 1 : 0;
        deceived += gone && !noticed ? 1 : 0;
        unnoticed += !noticed && mutualExclusionChecker.overlapsOf(self) > overlapsBefore ? 1 : 0;
    }

    private void work(SimulatedProcess self, Guard guard) {
        for (int work = self.simulation().below(longestWork); work > 0 && !guard.isLost(); work--) {
            self.step("works");
            if (self.simulation().oneIn(beatOdds)) {
                self.beginsRefresh();
                try {
                    guard.heartbeat();
                    self.endsRefresh();
                } catch (IOException e) {
                    otherFailures.add(e);
                }
            }
        }
    }

    /** False if the guard reports the lock as lost. */
    private boolean release(Guard guard) {
        try {
            guard.release();
        } catch (LockLostException e) {
            return false;
        } catch (LockFileException e) {
            otherFailures.add((IOException) e.getCause());
        }
        return true;
    }

    /**
     * Whether the file that it created is still the lock file, or was renamed and may be put back.
     */
    private static boolean isSomewhere(SimulatedProcess self, Guard guard) {
        SimulatedFolder folder = self.simulation().folder();
        return folder.paths().stream().map(folder::at).anyMatch(inode -> isOf(inode, self, guard));
    }

    private static boolean isOf(@Nullable Inode inode, SimulatedProcess self, Guard guard) {
        if (inode == null || inode.maker != self) {
            return false;
        }
        Holder named = LockFile.parse(inode.bytes(), inode.modified()).holder();
        return named != null && named.pid() == self.pid && guard.nonce().equals(named.nonce());
    }

    int acquired() {
        return acquired;
    }

    /** How often it was notified of a loss. */
    int losses() {
        return losses;
    }

    /** How often its file was missing or replaced at its release. */
    int displaced() {
        return displaced;
    }

    /** How often its file was missing or replaced at its release without a notification. */
    int deceived() {
        return deceived;
    }

    /** How often another process worked under the lock at the same time without a notification. */
    int unnoticed() {
        return unnoticed;
    }

    List<String> warnings() {
        return warnings;
    }

    List<IOException> failedAttempts() {
        return failedAttempts;
    }

    /** How often a failed attempt left a lock file behind although the sidecar was not busy. */
    int leftBehind() {
        return leftBehind;
    }

    /** Failures of heartbeats, releases and cleaning. */
    List<IOException> otherFailures() {
        return otherFailures;
    }
}
