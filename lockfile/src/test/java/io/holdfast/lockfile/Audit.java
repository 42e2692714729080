package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lockfile.SimulatedFolder.Inode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks what one process does to the lock file: it may only remove a file that it created, or that
 * was stale when it read it. A file that it renamed by mistake must be put back, unless its holder
 * has abandoned it since.
 */
final class Audit {
    private final SimulatedProcess process;
    private final Simulation simulation;
    private final Map<Inode, Boolean> staleWhenRead = new HashMap<>();
    private final List<Inode> aside = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private int mistakes;
    private int takenOver;
    private int putBack;
    private int displaced;

    Audit(SimulatedProcess process, Simulation simulation) {
        this.process = process;
        this.simulation = simulation;
    }

    void read(Inode inode) {
        LockFile file = LockFile.parse(inode.bytes(), inode.modified());
        staleWhenRead.put(inode, file.isStale(simulation.instant(), Simulation.STALE));
    }

    /** The file was renamed from the path of the lock. */
    void moved(Inode inode) {
        if (!isEntitledTo(inode)) {
            aside.add(inode);
            mistakes++;
        } else if (inode.maker != process) {
            takenOver++;
        }
    }

    /** A name of the file was deleted. */
    void deleted(Inode inode, boolean wasLock) {
        if (wasLock && !isEntitledTo(inode)) {
            violations.add("removed a file that was neither its own nor found stale");
        }
        boolean abandoned = LockFile.parse(inode.bytes(), inode.modified()).isAbandoned();
        if (aside.remove(inode) && !abandoned && inode != simulation.folder().at(Simulation.LOCK)) {
            violations.add("deleted a file that it should have put back");
        }
    }

    /** The file was linked to the path of the lock. */
    void linked(Inode inode) {
        aside.remove(inode);
        putBack += inode.maker == process ? 0 : 1;
    }

    /** The process created the lock file: if it had renamed another one, as a copy of that. */
    void created(Inode inode) {
        aside.forEach(inode::copies);
        putBack += aside.size();
        aside.clear();
    }

    /** The file could not be linked to the path of the lock, since that exists. */
    void refusedToLink(Inode inode) {
        aside.remove(inode);
        displaced += inode.maker == process ? 0 : 1;
    }

    /** The process found that the path of the lock exists, where it cannot use a link. */
    void sawOccupied() {
        displaced += aside.size();
        aside.clear();
    }

    /** At the end of an attempt, a release or a clean. */
    void check() {
        assertThat(violations).as("what %s did", process).isEmpty();
        assertThat(aside).as("files that %s moved and did not put back", process).isEmpty();
    }

    /** The number of files that it renamed without a reason. */
    int mistakes() {
        return mistakes;
    }

    /** The number of stale files of others that it removed. */
    int takenOver() {
        return takenOver;
    }

    /**
     * The number of files of others that it renamed and put back, because they had changed or been
     * replaced.
     */
    int putBack() {
        return putBack;
    }

    /** The number of files of others that it renamed and could not put back. */
    int displaced() {
        return displaced;
    }

    private boolean isEntitledTo(Inode inode) {
        return inode.isOf(process) || staleWhenRead.getOrDefault(inode, false);
    }
}
