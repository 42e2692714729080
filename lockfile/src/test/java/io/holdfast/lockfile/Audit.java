package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lockfile.SimulatedFolder.Inode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Watches what one process does to the lock file: it may only take away a file that it made, or
 * that it has read and that was stale then. What it moved by mistake must be put back, unless its
 * holder has abandoned it since.
 */
final class Audit {
    private final SimulatedProcess process;
    private final Simulation simulation;
    private final Map<Inode, Boolean> staleWhenRead = new HashMap<>();
    private final List<Inode> aside = new ArrayList<>();
    private final List<String> wrongs = new ArrayList<>();
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

    /** The file lost the name of the lock, by a rename. */
    void moved(Inode inode) {
        if (!isEntitledTo(inode)) {
            aside.add(inode);
            mistakes++;
        } else if (inode.maker != process) {
            takenOver++;
        }
    }

    /** The file lost a name by deletion. */
    void deleted(Inode inode, boolean wasLock) {
        if (wasLock && !isEntitledTo(inode)) {
            wrongs.add("removed a file that was neither its own nor found stale");
        }
        boolean abandoned = LockFile.parse(inode.bytes(), inode.modified()).isAbandoned();
        if (aside.remove(inode) && !abandoned && inode != simulation.folder().at(Simulation.LOCK)) {
            wrongs.add("deleted a file that it should have put back");
        }
    }

    /** The file got the name of the lock. */
    void linked(Inode inode) {
        aside.remove(inode);
        putBack += inode.maker == process ? 0 : 1;
    }

    /** It made the lock file: if it had moved another away, as a copy of that one. */
    void created(Inode inode) {
        aside.forEach(inode::copies);
        putBack += aside.size();
        aside.clear();
    }

    /** The file could not get the name of the lock, since another file has it. */
    void refusedToLink(Inode inode) {
        aside.remove(inode);
        displaced += inode.maker == process ? 0 : 1;
    }

    /** It saw that the name of the lock is taken, where only looking can tell. */
    void sawOccupied() {
        displaced += aside.size();
        aside.clear();
    }

    /** At the end of an attempt, a release or a clean. */
    void check() {
        assertThat(wrongs).as("what %s did", process).isEmpty();
        assertThat(aside).as("files that %s moved and did not put back", process).isEmpty();
    }

    /** How many files it moved that it had no reason to move. */
    int mistakes() {
        return mistakes;
    }

    /** How many stale files of others it removed. */
    int takenOver() {
        return takenOver;
    }

    /** How many files of others it moved and put back: they had changed, or were others. */
    int putBack() {
        return putBack;
    }

    /** How many files of others it moved and could not put back. */
    int displaced() {
        return displaced;
    }

    private boolean isEntitledTo(Inode inode) {
        return inode.isOf(process) || staleWhenRead.getOrDefault(inode, false);
    }
}
