package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * A folder in memory that the processes of a simulation share. Each call is atomic. As on ext4, the
 * inode of a removed file is reused by the next new file, unless it is still open.
 */
final class SimulatedFolder {
    /** A file, with any number of names. */
    static final class Inode {
        final long number;
        final @Nullable SimulatedProcess maker;
        private @Nullable Inode original;
        private byte[] bytes = {};
        private Instant modified;
        private int names;
        private int open;

        private Inode(long number, @Nullable SimulatedProcess maker, Instant now) {
            this.number = number;
            this.maker = maker;
            this.modified = now;
        }

        void copies(Inode other) {
            original = other;
        }

        /** Whether the process created it, or created the file that it is a copy of. */
        boolean isOf(SimulatedProcess process) {
            return maker == process || (original != null && original.isOf(process));
        }

        byte[] bytes() {
            return bytes.clone();
        }

        Instant modified() {
            return modified;
        }
    }

    private final Map<Path, Inode> names = new LinkedHashMap<>();
    private final Map<Path, SimulatedProcess> locks = new LinkedHashMap<>();
    private final TreeSet<Long> freeNumbers = new TreeSet<>();
    private final Map<Path, SimulatedProcess> movers = new LinkedHashMap<>();
    private long made;

    @Nullable Inode at(Path path) {
        return names.get(path);
    }

    /** The process that created this name; null if it was none of the simulation. */
    @Nullable SimulatedProcess giver(Path path) {
        Inode inode = names.get(path);
        return movers.getOrDefault(path, inode == null ? null : inode.maker);
    }

    List<Path> paths() {
        return new ArrayList<>(names.keySet());
    }

    Inode create(Path path, @Nullable SimulatedProcess maker, Instant now)
            throws FileAlreadyExistsException {
        if (names.containsKey(path)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        Long reused = freeNumbers.pollFirst();
        Inode inode = new Inode(reused == null ? ++made : reused, maker, now);
        name(path, inode);
        return inode;
    }

    void link(Path path, Path name) throws FileAlreadyExistsException, NoSuchFileException {
        Inode inode = existing(path);
        if (names.containsKey(name)) {
            throw new FileAlreadyExistsException(name.toString());
        }
        name(name, inode);
    }

    Inode rename(Path from, Path to, SimulatedProcess mover) throws NoSuchFileException {
        Inode inode = existing(from);
        Inode replaced = names.remove(to);
        if (replaced != null) {
            unnamed(replaced);
        }
        names.remove(from);
        names.put(to, inode);
        movers.put(to, mover);
        return inode;
    }

    Inode delete(Path path) throws NoSuchFileException {
        Inode inode = existing(path);
        names.remove(path);
        unnamed(inode);
        return inode;
    }

    Inode existing(Path path) throws NoSuchFileException {
        Inode inode = names.get(path);
        if (inode == null) {
            throw new NoSuchFileException(path.toString());
        }
        return inode;
    }

    void write(Inode inode, byte[] bytes, Instant now) {
        inode.bytes = bytes.clone();
        inode.modified = now;
    }

    void open(Inode inode) {
        inode.open++;
    }

    void close(Inode inode) {
        inode.open--;
        freeIfGone(inode);
    }

    /** Whether the process has locked the sidecar. */
    boolean lock(Path sidecar, SimulatedProcess process) {
        return locks.putIfAbsent(sidecar, process) == null;
    }

    void unlock(Path sidecar, SimulatedProcess process) {
        locks.remove(sidecar, process);
    }

    void unlockAll(SimulatedProcess process) {
        locks.values().removeIf(owner -> owner == process);
    }

    private void name(Path path, Inode inode) {
        names.put(path, inode);
        inode.names++;
    }

    private void unnamed(Inode inode) {
        inode.names--;
        freeIfGone(inode);
    }

    private void freeIfGone(Inode inode) {
        if (inode.names == 0 && inode.open == 0) {
            freeNumbers.add(inode.number);
        }
    }
}
