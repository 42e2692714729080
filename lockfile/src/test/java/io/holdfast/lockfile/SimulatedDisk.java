package io.holdfast.lockfile;

import io.holdfast.lockfile.SimulatedFolder.Inode;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The simulated folder as one process sees it. Before each system call of the real file system,
 * other processes may run, the process may be killed, or the call may fail.
 */
final class SimulatedDisk implements LockFileSystem {
    /** Selects the calls that fail. */
    interface Fault {
        @Nullable IOException of(String call, Path path);
    }

    private static final int ODDS_OF_TIMEOUT = 8;

    private final SimulatedProcess process;
    private final Simulation simulation;
    private final Audit audit;
    private final List<Inode> open = new ArrayList<>();
    private @Nullable Runnable unfinished;
    private int sidecarTimeouts;
    private Fault fault = (call, path) -> null;

    SimulatedDisk(SimulatedProcess process, Simulation simulation, Audit audit) {
        this.process = process;
        this.simulation = simulation;
        this.audit = audit;
    }

    void failing(Fault value) {
        fault = value;
    }

    /** How often it timed out waiting for a sidecar. */
    int sidecarTimeouts() {
        return sidecarTimeouts;
    }

    private SimulatedFolder folder() {
        return simulation.folder();
    }

    private void step(String call, Path path) throws IOException {
        process.step(call + " " + shortName(path));
        IOException failure = fault.of(call, path);
        if (failure != null) {
            simulation.trace(process, "  fails: " + failure);
            throw failure;
        }
    }

    /** The name without the random part of helpers, so that equal seeds produce equal traces. */
    private static String shortName(Path path) {
        String name = path.getFileName().toString();
        return name.startsWith(".") ? name.substring(name.lastIndexOf('.')) : name;
    }

    @Override
    public @Nullable Entry stat(Path path) throws IOException {
        step("look", path);
        Inode inode = folder().at(path);
        if (inode != null && path.equals(Simulation.LOCK) && !simulation.hasHardLinks()) {
            audit.sawOccupied();
        }
        return inode == null ? null : new Entry(Kind.FILE, inode.number, inode.modified());
    }

    /** Opening and reading are two calls: the file may be removed in between. */
    @Override
    public byte[] read(Path file, int limit) throws IOException {
        step("open", file);
        Inode inode = folder().existing(file);
        open(inode);
        try {
            step("read", file);
            audit.read(inode);
            byte[] bytes = inode.bytes();
            return Arrays.copyOf(bytes, Math.min(limit, bytes.length));
        } finally {
            close(inode);
        }
    }

    @Override
    public OwnFile create(Path file, boolean isPrivate) throws IOException {
        step("create", file);
        Inode inode;
        try {
            inode = folder().create(file, process, simulation.instant());
        } catch (FileAlreadyExistsException e) {
            audit.sawOccupied();
            throw e;
        }
        if (file.equals(Simulation.LOCK)) {
            audit.created(inode);
        }
        open(inode);
        return new Own(file, inode);
    }

    @Override
    public void link(Path file, Path name) throws IOException {
        step("link", name);
        if (!simulation.hasHardLinks()) {
            throw new UnsupportedOperationException("hard links are not supported");
        }
        Inode inode = folder().existing(file);
        try {
            folder().link(file, name);
        } catch (FileAlreadyExistsException e) {
            audit.refusedToLink(inode);
            throw e;
        }
        if (name.equals(Simulation.LOCK)) {
            audit.linked(inode);
        }
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        step("rename", from);
        Inode moved = folder().rename(from, to, process);
        if (from.equals(Simulation.LOCK)) {
            audit.moved(moved);
        } else if (to.equals(Simulation.LOCK)) {
            audit.linked(moved);
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        step("delete", path);
        audit.deleted(folder().delete(path), path.equals(Simulation.LOCK));
    }

    @Override
    public <T> Optional<T> locked(Path sidecar, Duration timeout, Action<T> action)
            throws IOException {
        openSidecar(sidecar);
        do {
            step("lock", sidecar);
            if (folder().lock(sidecar, process)) {
                try {
                    Optional<T> result = Optional.of(action.run());
                    process.step("unlock " + shortName(sidecar));
                    return result;
                } finally {
                    folder().unlock(sidecar, process);
                }
            }
        } while (!timeout.isZero() && !simulation.oneIn(ODDS_OF_TIMEOUT));
        sidecarTimeouts += timeout.isZero() ? 0 : 1;
        return Optional.empty();
    }

    private void openSidecar(Path sidecar) throws NoSidecarException {
        try {
            step("sidecar", sidecar);
            if (folder().at(sidecar) == null) {
                folder().create(sidecar, null, simulation.instant());
            }
        } catch (IOException e) {
            throw new NoSidecarException(sidecar, e);
        }
    }

    @Override
    public List<String> list(Path path, String prefix) throws IOException {
        step("list", path);
        return folder().paths().stream()
                .map(name -> name.getFileName().toString())
                .filter(name -> name.startsWith(prefix))
                .toList();
    }

    /** Like {@code >} in a shell: creates or truncates the file, then writes. */
    void overwrite(Path file, String text) throws IOException {
        step("truncate", file);
        Inode inode = folder().at(file);
        if (inode == null) {
            inode = folder().create(file, process, simulation.instant());
        }
        open(inode);
        try {
            folder().write(inode, new byte[0], simulation.instant());
            step("write", file);
            folder().write(inode, Scripts.bytes(text), simulation.instant());
        } finally {
            close(inode);
        }
    }

    /** Like {@code >>} in a shell: creates the file if necessary, then appends. */
    void append(Path file, String text) throws IOException {
        step("append", file);
        Inode inode = folder().at(file);
        if (inode == null) {
            inode = folder().create(file, process, simulation.instant());
        }
        folder().write(inode, Scripts.joined(inode.bytes(), text), simulation.instant());
    }

    private void open(Inode inode) {
        open.add(inode);
        folder().open(inode);
    }

    private void close(Inode inode) {
        if (open.remove(inode)) {
            folder().close(inode);
        }
    }

    /** What the operating system does at the end of a process. */
    void closeAll() {
        if (unfinished != null) {
            unfinished.run();
            unfinished = null;
        }
        List.copyOf(open).forEach(this::close);
        folder().unlockAll(process);
    }

    static AccessDeniedException denied(Path path) {
        return new AccessDeniedException(path.toString());
    }

    private final class Own implements OwnFile {
        private final Path created;
        private final Inode inode;

        Own(Path created, Inode inode) {
            this.created = created;
            this.inode = inode;
        }

        /**
         * The first write of a new file is split, and stays incomplete if the process is killed in
         * between, since some programs write in pieces. An overwrite is one call, which a reader
         * may overlap but a kill does not interrupt.
         */
        @Override
        public void write(byte[] content) throws IOException {
            step("write", created);
            boolean isOver = inode.bytes().length > 0;
            if (!isOver || simulation.isTearing()) {
                put(Arrays.copyOf(content, simulation.below(content.length + 1)));
                unfinished = isOver ? () -> put(content) : null;
                step("write-rest", created);
                unfinished = null;
            }
            put(content);
            step("sync", created);
        }

        private void put(byte[] beginning) {
            byte[] before = inode.bytes();
            byte[] after = Arrays.copyOf(before, Math.max(before.length, beginning.length));
            System.arraycopy(beginning, 0, after, 0, beginning.length);
            folder().write(inode, after, simulation.instant());
        }

        @Override
        public void close() throws IOException {
            SimulatedDisk.this.close(inode);
        }
    }
}
