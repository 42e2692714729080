package io.holdfast.socketlock.internal.primary;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The right to be the primary of a path: an exclusive file lock on {@code <path>.lock}, held until
 * {@link #close} or the end of the process. The file is never removed. It also lists the holds, for
 * the next primary.
 *
 * <p>Use it only from threads that are never interrupted: an interrupt closes the file and so
 * releases the lock.
 */
public final class PrimaryLock {
    /** The maximum length of a socket path that the system and the JDK accept, in bytes. */
    private static final int MAX_PATH_BYTES = 106;

    /**
     * Channels of lock files that this process has also locked under another name, by file
     * identity. They must not be closed, not even by the garbage collector, because that would
     * release the lock.
     */
    private static final Map<Object, FileChannel> KEPT_OPEN = new ConcurrentHashMap<>();

    private static final String TAKEN = "io.holdfast.socketlock.primary:";
    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET = 0140000;
    private static final int FRESH_NAMES = 36 * 36 * 36 * 36;

    /** How many fences may be assigned before the header must be written again. */
    private static final long FENCES_RESERVED = 1_000_000;

    /** The result of {@link #tryTake}. */
    public sealed interface Attempt {
        /** This process has the primary lock. */
        record Taken(PrimaryLock primaryLock) implements Attempt {}

        /**
         * Another process, or another part of this one, has the primary lock or is about to take
         * it.
         */
        record Busy() implements Attempt {}

        /** A primary that does not use the lock file, an original socketlock, serves the path. */
        record Served() implements Attempt {}
    }

    private final Path path;
    private final Path lockPath;
    private final String registration;
    private final FileChannel channel;
    private final FileLock lock;
    private final Object lockIdentity;
    private final PrimaryLockFile file;
    private final Path bindPath;
    private final long fenceFloor;
    private final TakeoverGracePeriod takeoverGracePeriod;

    @GuardedBy("this")
    private PrimaryLockFile.Header header;

    @GuardedBy("this")
    private final Set<HoldRecord> holds = new HashSet<>();

    @GuardedBy("this")
    private final BitSet used = new BitSet();

    @GuardedBy("this")
    private @Nullable Object socketIdentity;

    @GuardedBy("this")
    private boolean incomplete;

    @GuardedBy("this")
    private boolean stopped;

    @GuardedBy("this")
    private boolean closed;

    private PrimaryLock(
            Path path,
            Path lockPath,
            String registration,
            FileChannel channel,
            FileLock lock,
            Object lockIdentity,
            boolean afterForeignPrimary)
            throws IOException {
        this.path = path;
        this.lockPath = lockPath;
        this.registration = registration;
        this.channel = channel;
        this.lock = lock;
        this.lockIdentity = lockIdentity;
        this.file = new PrimaryLockFile(channel);
        this.bindPath = freshName(path);
        used.set(0); // the header

        PrimaryLockFile.Content content = file.read();
        PrimaryLockFile.Header before = content.header();
        boolean stale = Files.exists(path, LinkOption.NOFOLLOW_LINKS);
        boolean sameBoot = before == null || isThisBoot(before.boot());
        String socket = stale ? identity(path) : "-";
        boolean foreignSocket =
                stale && (before == null || !List.of(before.socket().split(";")).contains(socket));
        boolean wasActive = before != null && before.state() != PrimaryLockFile.State.CLEAN;
        boolean unlisted =
                before == null
                        || !content.broken().isEmpty()
                        || before.state() == PrimaryLockFile.State.UNLISTED;

        List<HoldRecord> listed =
                sameBoot && wasActive && !foreignSocket ? content.holds() : List.of();
        this.fenceFloor = before == null ? 0 : before.fence();
        this.header =
                new PrimaryLockFile.Header(
                        before == null ? System.currentTimeMillis() : before.epoch() + 1,
                        PrimaryLockFile.State.ACTIVE,
                        fenceFloor,
                        ProcessIdentity.ownBoot(),
                        socket);
        for (HoldRecord hold : listed) {
            used.set(hold.index);
        }
        holds.addAll(listed);
        boolean unknown =
                sameBoot
                        && (foreignSocket
                                || afterForeignPrimary
                                || (unlisted && (wasActive || before == null)));
        this.takeoverGracePeriod =
                new TakeoverGracePeriod(
                        this,
                        listed,
                        unknown,
                        foreignSocket || afterForeignPrimary || before == null ? 0 : before.epoch(),
                        System.nanoTime());
        if (unknown) { // if this primary ends within the grace period, the next one must wait too
            header = with(PrimaryLockFile.State.UNLISTED);
        }
        file.write(header);
        for (int index : content.broken()) {
            file.erase(index);
        }
        if (listed.isEmpty()) {
            for (HoldRecord hold : content.holds()) {
                file.erase(hold.index);
            }
        }
        file.prepare();
        file.force();
    }

    private static boolean isThisBoot(String boot) {
        return boot.equals("-")
                || ProcessIdentity.ownBoot().equals("-")
                || boot.equals(ProcessIdentity.ownBoot());
    }

    /**
     * Tries once to take the primary lock, without waiting.
     *
     * @throws IOException if this process cannot become the primary of the path: there is a file
     *     that is no socket, the folder is not writable, or the path is too long
     */
    public static Attempt tryTake(Path socket) throws IOException {
        return tryTake(socket, false);
    }

    /**
     * Tries once to take the primary lock, without waiting.
     *
     * @param afterForeignPrimary whether the previous primary, as far as the caller knows, did not
     *     use the lock file: if it shut down gracefully, it has left no trace
     * @throws IOException as for {@link #tryTake(Path)}
     */
    public static Attempt tryTake(Path socket, boolean afterForeignPrimary) throws IOException {
        Path path = check(socket);
        String registration = TAKEN + path;
        // A process must open the file only once: closing any channel of it releases the lock. The
        // system properties are shared by all class loaders.
        if (System.getProperties().putIfAbsent(registration, "") != null) {
            return new Attempt.Busy();
        }
        Attempt attempt = null;
        try {
            attempt = tryTake(path, registration, afterForeignPrimary);
            return attempt;
        } finally {
            if (!(attempt instanceof Attempt.Taken)) {
                System.getProperties().remove(registration);
            }
        }
    }

    /**
     * The path with its folder resolved to the real path.
     *
     * @throws IOException if no socket can be created there
     */
    public static Path check(Path socket) throws IOException {
        Path path = socket.toAbsolutePath();
        Path name = path.getFileName();
        if (name == null) {
            throw new FileSystemException(
                    socket.toString(), null, "is not a file name for a socket");
        }
        requireShort(path, socket);
        try {
            path = Objects.requireNonNull(path.getParent()).toRealPath().resolve(name);
        } catch (NoSuchFileException e) {
            throw new NoSuchFileException(socket.toString(), null, "no such directory");
        }
        requireShort(path, socket);
        requireShort(freshName(path), socket);
        return path;
    }

    private static void requireShort(Path path, Path shown) throws IOException {
        if (path.toString().getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES) {
            throw new FileSystemException(
                    shown.toString(),
                    null,
                    "the path is too long for a socket: the maximum is "
                            + MAX_PATH_BYTES
                            + " bytes");
        }
    }

    private static Path freshName(Path path) {
        int number = ThreadLocalRandom.current().nextInt(FRESH_NAMES / 36, FRESH_NAMES);
        return path.resolveSibling("." + Integer.toString(number, 36));
    }

    private static synchronized Attempt tryTake(
            Path path, String registration, boolean afterForeignPrimary) throws IOException {
        requireSocketOrNothing(path);
        Path lockPath = path.resolveSibling(path.getFileName() + ".lock");
        while (true) {
            Object before = identityOrNull(lockPath);
            FileChannel keptOpen = before == null ? null : KEPT_OPEN.remove(before);
            FileChannel channel = keptOpen == null ? open(lockPath) : keptOpen;
            boolean keepOpen = false;
            try {
                FileLock lock;
                try {
                    lock = channel.tryLock();
                } catch (OverlappingFileLockException e) {
                    keepOpen = true; // closing it would release the lock that this process has
                    KEPT_OPEN.put(before == null ? channel : before, channel);
                    return new Attempt.Busy();
                }
                if (lock == null) {
                    return new Attempt.Busy();
                }
                if (before == null || !before.equals(identityOrNull(lockPath))) {
                    continue; // just created, or replaced meanwhile: retry
                }
                Probe found = probe(path);
                if (found != Probe.NOT_LISTENING) {
                    return found == Probe.LISTENING ? new Attempt.Served() : new Attempt.Busy();
                }
                requireSocketOrNothing(path);
                PrimaryLock primaryLock =
                        new PrimaryLock(
                                path,
                                lockPath,
                                registration,
                                channel,
                                lock,
                                before,
                                afterForeignPrimary);
                keepOpen = true;
                return new Attempt.Taken(primaryLock);
            } finally {
                if (!keepOpen) {
                    channel.close();
                }
            }
        }
    }

    private static FileChannel open(Path lockPath) throws IOException {
        try {
            return FileChannel.open(
                    lockPath,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS);
        } catch (AccessDeniedException e) {
            throw new AccessDeniedException(
                    lockPath.toString(), null, "cannot become the primary: permission denied");
        }
    }

    private enum Probe {
        LISTENING,
        NOT_LISTENING,
        UNCLEAR
    }

    /**
     * Checks whether a process listens at the path. Only a refused connection or a missing file
     * proves that none does.
     */
    private static Probe probe(Path path) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(path));
            return Probe.LISTENING;
        } catch (ConnectException e) {
            return Probe.NOT_LISTENING;
        } catch (IOException e) {
            return Files.notExists(path, LinkOption.NOFOLLOW_LINKS)
                    ? Probe.NOT_LISTENING
                    : Probe.UNCLEAR;
        }
    }

    private static void requireSocketOrNothing(Path path) throws IOException {
        try {
            Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if (!(mode instanceof Integer bits) || (bits & FILE_TYPE) != SOCKET) {
                throw new FileSystemException(path.toString(), null, "is not a socket");
            }
        } catch (NoSuchFileException e) {
            return;
        }
    }

    // ---- becoming the primary

    /** The temporary path at which the new socket is bound; {@link #publish} renames it. */
    public Path bindPath() {
        return bindPath;
    }

    /**
     * Renames the listening socket from {@link #bindPath} to the path, atomically: the path never
     * leads to a new socket that does not listen yet, and is never missing.
     */
    public synchronized void publish() throws IOException {
        Object bound = identityOrNull(bindPath);
        header =
                new PrimaryLockFile.Header(
                        header.epoch(),
                        header.state(),
                        header.fence(),
                        header.boot(),
                        // If this process ends now, either of the two may be at the path.
                        header.socket() + ";" + identity(bindPath));
        file.write(header);
        Files.move(
                bindPath,
                path,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        socketIdentity = bound;
    }

    /** The epoch of this primary, greater than that of every earlier one. */
    public synchronized long epoch() {
        return header.epoch();
    }

    /** Every fence must be greater than this. */
    public long fenceFloor() {
        return fenceFloor;
    }

    /** The grace period that must be over before the first offer. */
    public TakeoverGracePeriod grace() {
        return takeoverGracePeriod;
    }

    /** Whether the path and the lock file are still those of this primary. */
    public boolean isOurs() {
        Object expected;
        synchronized (this) {
            if (closed || stopped) {
                return false;
            }
            expected = socketIdentity;
        }
        try {
            return (expected == null || expected.equals(identityOrNull(path)))
                    && lockIdentity.equals(identityOrNull(lockPath));
        } catch (IOException e) {
            return false;
        }
    }

    // ---- the holds

    /**
     * Lists a hold in the file. Call it before its holder can learn that it has the lock.
     *
     * @param fence the fence of the hold, which must not be sent to the client before either
     * @return null if the service has ended, or ends because the file cannot be written: then no
     *     more responses may be sent
     */
    public synchronized @Nullable HoldRecord record(
            boolean write, String clientId, String lockId, ProcessIdentity process, long fence) {
        if (stopped) {
            return null;
        }
        int index = used.nextClearBit(0);
        HoldRecord hold = new HoldRecord(index, write, header.epoch(), clientId, lockId, process);
        used.set(index);
        holds.add(hold);
        try {
            reserve(fence);
            file.write(hold);
        } catch (IOException e) {
            markIncomplete();
        }
        return stopped ? null : hold;
    }

    /** Reserves the new fence of a hold that is already listed and was re-asserted. */
    synchronized void reserveFence(long fence) {
        if (stopped) {
            return;
        }
        try {
            reserve(fence);
        } catch (IOException e) {
            markIncomplete();
        }
    }

    @GuardedBy("this")
    private void reserve(long fence) throws IOException {
        if (fence >= header.fence()) {
            header =
                    new PrimaryLockFile.Header(
                            header.epoch(),
                            header.state(),
                            fence + FENCES_RESERVED,
                            header.boot(),
                            header.socket());
            file.write(header);
        }
    }

    /** Removes a hold that has ended from the file. */
    public synchronized void erase(HoldRecord hold) {
        if (stopped || !holds.remove(hold)) {
            return;
        }
        used.clear(hold.index);
        try {
            file.erase(hold.index);
        } catch (IOException e) {
            markIncomplete();
        }
    }

    /**
     * Marks the list of holds as incomplete, for example when the disk is full: the next primary
     * then waits for the full grace period.
     */
    @GuardedBy("this")
    private void markIncomplete() {
        incomplete = true;
        if (header.state() == PrimaryLockFile.State.UNLISTED) {
            return;
        }
        header = with(PrimaryLockFile.State.UNLISTED);
        try {
            file.write(header);
        } catch (IOException e) {
            stop(); // the mark cannot be written either, so stop serving
        }
    }

    @GuardedBy("this")
    private void stop() {
        stopped = true;
    }

    /**
     * Called at the end of the grace period: all holds of the previous primary are listed or ended.
     */
    synchronized void graceIsOver() {
        if (!stopped && !incomplete && header.state() == PrimaryLockFile.State.UNLISTED) {
            header = with(PrimaryLockFile.State.ACTIVE);
            try {
                file.write(header);
            } catch (IOException e) {
                stop();
            }
        }
    }

    @GuardedBy("this")
    private PrimaryLockFile.Header with(PrimaryLockFile.State state) {
        return new PrimaryLockFile.Header(
                header.epoch(), state, header.fence(), header.boot(), header.socket());
    }

    // ---- the end

    /**
     * Ends the service: the list of holds is not changed any more, and the socket is removed if it
     * is still that of this primary. Close the listener and all connections before {@link #close}.
     */
    public synchronized void stopServing() {
        if (stopped || closed) {
            return;
        }
        if (socketIdentity != null) {
            try {
                if (holds.isEmpty() && header.state() == PrimaryLockFile.State.ACTIVE) {
                    header = with(PrimaryLockFile.State.CLEAN);
                    file.write(header);
                }
                // If the lock file was removed or replaced, the socket must stay: it shows the next
                // primary that there was one, whose holds are not listed.
                boolean removable =
                        header.state() == PrimaryLockFile.State.CLEAN
                                || lockIdentity.equals(identityOrNull(lockPath));
                if (removable && socketIdentity.equals(identityOrNull(path))) {
                    Files.delete(path);
                }
            } catch (IOException e) {
                // What remains makes the next primary wait for the grace period.
            }
        }
        stopped = true;
    }

    /** Releases the primary lock. */
    public synchronized void close() {
        if (closed) {
            return;
        }
        removeUnpublished();
        stopped = true;
        closed = true;
        try (channel) {
            lock.release();
        } catch (IOException e) {
            // Closing the channel releases the lock.
        } finally {
            System.getProperties().remove(registration);
        }
    }

    /** Removes a socket that was never published. */
    @GuardedBy("this")
    private void removeUnpublished() {
        if (socketIdentity == null) {
            try {
                Files.deleteIfExists(bindPath);
            } catch (IOException e) {
                // It does no harm.
            }
        }
    }

    /**
     * The identity (inode) of a file, unique among the files that exist at the same time; null if
     * there is none.
     */
    public static @Nullable Object identityOrNull(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /**
     * The identity as one field, with the modification time to distinguish a file from a later one
     * with the same inode.
     */
    private static String identity(Path file) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        String key = Objects.toString(attributes.fileKey(), "-").replaceAll("\\(dev=|ino=|\\)", "");
        return key + "@" + attributes.lastModifiedTime().toInstant();
    }

    @Override
    public String toString() {
        return "primary lock of " + path;
    }
}
