package io.holdfast.lockfile;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The real file system. */
final class LocalLockFileSystem implements LockFileSystem {
    static final LockFileSystem INSTANCE = new LocalLockFileSystem();

    /**
     * The identity of every file where the system has no file keys: only the content distinguishes
     * two files then.
     */
    private static final Object NO_IDENTITY = new Object();

    private static final FileAttribute<?>[] NONE = {};
    private static final FileAttribute<?>[] PUBLIC = {rights("rw-r--r--")};
    private static final FileAttribute<?>[] PRIVATE = {rights("rw-------")};
    private static final int DEFAULT_SIZE = 1024;

    /**
     * Far beyond the end of the file: on some systems a lock keeps other processes from reading the
     * locked bytes.
     */
    private static final long LOCKED_BYTE = Long.MAX_VALUE - 1;

    /** The sidecars that a thread of this process has locked or is about to lock. */
    private static final Set<Path> IN_USE = ConcurrentHashMap.newKeySet();

    /**
     * The minimum wait for another thread of this process, which normally releases the sidecar
     * within microseconds.
     */
    private static final Duration MIN_THREAD_WAIT = Duration.ofMillis(100);

    private static final Duration RETRY_INTERVAL = Duration.ofMillis(1);

    private LocalLockFileSystem() {}

    private static FileAttribute<?> rights(String text) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
    }

    @Override
    public @Nullable Entry stat(Path path) throws IOException {
        try {
            var attributes = Files.readAttributes(path, BasicFileAttributes.class, NOFOLLOW_LINKS);
            Object key = attributes.fileKey();
            return new Entry(
                    kind(attributes),
                    key == null ? NO_IDENTITY : key,
                    attributes.lastModifiedTime().toInstant());
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static Kind kind(BasicFileAttributes attributes) {
        if (attributes.isRegularFile()) {
            return Kind.FILE;
        }
        if (attributes.isDirectory()) {
            return Kind.FOLDER;
        }
        return attributes.isSymbolicLink() ? Kind.LINK : Kind.OTHER;
    }

    @Override
    public byte[] read(Path file, int limit) throws IOException {
        try (var uninterruptibleScope = new UninterruptibleScope()) {
            return uninterruptibleScope.call(() -> readOnce(file, limit));
        }
    }

    private static byte[] readOnce(Path file, int limit) throws IOException {
        try (var channel = FileChannel.open(file, READ, NOFOLLOW_LINKS)) {
            var bytes = ByteBuffer.allocate(Math.min(DEFAULT_SIZE, limit));
            while (channel.read(bytes) >= 0) {
                if (!bytes.hasRemaining()) {
                    if (bytes.capacity() == limit) {
                        break;
                    }
                    bytes = ByteBuffer.allocate(limit).put(bytes.flip());
                }
            }
            var result = new byte[bytes.position()];
            bytes.get(0, result);
            return result;
        }
    }

    @Override
    public OwnFile create(Path file, boolean isPrivate) throws IOException {
        return new Own(channel(file, isPrivate ? PRIVATE : PUBLIC));
    }

    private static FileChannel channel(Path file, FileAttribute<?>[] rights) throws IOException {
        return FileChannel.open(
                file, Set.of(CREATE_NEW, WRITE, NOFOLLOW_LINKS), isPosix(file) ? rights : NONE);
    }

    private static boolean isPosix(Path file) {
        return file.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    @Override
    public void link(Path file, Path name) throws IOException {
        Files.createLink(name, file);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(Path path) throws IOException {
        if (!path.toFile().delete()) { // unlike Files.delete, this does not stat the file first
            Files.delete(path); // throws with the reason
        }
    }

    @Override
    public <T> Optional<T> locked(Path sidecar, Duration timeout, Action<T> action)
            throws IOException {
        // A POSIX file lock belongs to the process, and ends when any channel of the file is closed
        // by that process. So only one thread at a time may have the sidecar open, and only once.
        long start = System.nanoTime();
        if (!reserve(sidecar, timeout)) {
            return Optional.empty();
        }
        Duration left = timeout.minusNanos(System.nanoTime() - start);
        try {
            // IN_USE exists once per class loader. The interned string is one object for all of
            // them, so its monitor also excludes threads of other class loaders.
            synchronized (("io.holdfast.lockfile " + sidecar).intern()) {
                try (var channel = open(sidecar)) {
                    if (!lock(sidecar, channel, left)) {
                        return Optional.empty();
                    }
                    return Optional.of(action.run());
                }
            }
        } finally {
            IN_USE.remove(sidecar);
        }
    }

    private static boolean reserve(Path sidecar, Duration timeout) {
        long start = System.nanoTime();
        Duration max = timeout.compareTo(MIN_THREAD_WAIT) < 0 ? MIN_THREAD_WAIT : timeout;
        try (var uninterruptibleScope = new UninterruptibleScope()) {
            while (!IN_USE.add(sidecar)) {
                if (System.nanoTime() - start >= max.toNanos()) {
                    return false;
                }
                uninterruptibleScope.pause(RETRY_INTERVAL);
            }
            return true;
        }
    }

    private FileChannel open(Path sidecar) throws IOException {
        try {
            while (true) {
                Entry there = stat(sidecar);
                if (there == null) {
                    try {
                        return createSidecar(sidecar);
                    } catch (FileAlreadyExistsException e) {
                        continue; // another process created it first
                    }
                }
                if (there.kind() != Kind.FILE) {
                    throw new NoSidecarException(sidecar, new IOException("not a regular file"));
                }
                try {
                    // Without the create option: some kernels refuse it for the file of another
                    // user in a folder like /tmp.
                    return FileChannel.open(sidecar, WRITE, NOFOLLOW_LINKS);
                } catch (NoSuchFileException e) {
                    // removed in between: retry
                }
            }
        } catch (FileSystemException e) {
            throw LockFileExceptions.isNotPermitted(e) ? new NoSidecarException(sidecar, e) : e;
        }
    }

    /** Every user who may create files in the folder may also lock the sidecar. */
    private static FileChannel createSidecar(Path sidecar) throws IOException {
        var channel = channel(sidecar, PUBLIC);
        try {
            grantFolderWriters(sidecar);
            return channel;
        } catch (IOException | RuntimeException e) {
            // If the garbage collector closed the channel later, it would end the sidecar lock of
            // another thread of this process.
            channel.close();
            throw e;
        }
    }

    private static void grantFolderWriters(Path sidecar) throws IOException {
        Path folder = sidecar.getParent();
        if (isPosix(sidecar) && folder != null) {
            var rights = EnumSet.copyOf(PosixFilePermissions.fromString("rw-r--r--"));
            var ofFolder = Files.getPosixFilePermissions(folder);
            for (var right :
                    List.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE)) {
                if (ofFolder.contains(right)) {
                    rights.add(right);
                }
            }
            Files.setPosixFilePermissions(sidecar, rights);
        }
    }

    private static boolean lock(Path sidecar, FileChannel channel, Duration timeout)
            throws NoSidecarException {
        long start = System.nanoTime();
        try (var uninterruptibleScope = new UninterruptibleScope()) {
            while (!tryLock(channel)) {
                if (System.nanoTime() - start >= timeout.toNanos()) {
                    return false;
                }
                uninterruptibleScope.pause(RETRY_INTERVAL);
            }
            return true;
        } catch (IOException e) {
            throw new NoSidecarException(sidecar, e);
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock(LOCKED_BYTE, 1, false);
            return lock != null; // it is released when the channel is closed
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    @Override
    public List<String> list(Path folder, String prefix) throws IOException {
        var names = new ArrayList<String>();
        try (var entries =
                Files.newDirectoryStream(
                        folder, entry -> entry.getFileName().toString().startsWith(prefix))) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        }
        return names;
    }

    /** An interrupt closes it: see {@link UninterruptibleScope}. */
    private static final class Own implements OwnFile {
        private final FileChannel channel;

        Own(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public void write(byte[] content) throws IOException {
            var bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes, bytes.position());
            }
            channel.force(true);
        }

        @Override
        public void rewrite(byte[] content) throws IOException {
            BackgroundTasks.call(
                    () -> {
                        write(content);
                        return true;
                    });
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
