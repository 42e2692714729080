package io.holdfast.client.socketlock.primary;

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
 * The right to be the primary of a path. Who has it has an exclusive lock on the file {@code
 * <path>.lock}, which is never removed, until it gives the seat up or its process ends. That file
 * also tells the next one which holds there were.
 *
 * <p>Call it from threads that nobody interrupts: an interrupt closes the file and so gives the
 * seat up.
 */
public final class PrimaryLock {
    /** The longest path that the system and the JDK take for a socket. */
    private static final int MAX_PATH_BYTES = 106;

    /**
     * Lock files that this process has locked under another name, by identity. They must not be
     * closed, not even by the garbage collector.
     */
    private static final Map<Object, FileChannel> KEPT_OPEN = new ConcurrentHashMap<>();

    private static final String TAKEN = "io.holdfast.socketlock.seat:";
    private static final int FILE_TYPE = 0170000;
    private static final int SOCKET = 0140000;
    private static final int FRESH_NAMES = 36 * 36 * 36 * 36;

    /** So many fences may be given out before the header is written again. */
    private static final long FENCES_AHEAD = 1_000_000;

    /** What came of trying. */
    public sealed interface Attempt {
        /** It is ours. */
        record Taken(PrimaryLock primaryLock) implements Attempt {}

        /** Somebody has it, or is about to. */
        record Busy() implements Attempt {}

        /** Somebody who takes no lock file serves there. */
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

    // Guarded by this.
    private PrimaryLockFile.Header header;
    private final Set<HoldRecord> holds = new HashSet<>();
    private final BitSet used = new BitSet();
    private @Nullable Object socketIdentity;
    private boolean incomplete;
    private boolean left;
    private boolean closed;

    private PrimaryLock(
            Path path,
            Path lockPath,
            String registration,
            FileChannel channel,
            FileLock lock,
            Object lockIdentity,
            boolean afterStranger)
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
        boolean otherPeer =
                stale && (before == null || !List.of(before.socket().split(";")).contains(socket));
        boolean wasActive = before != null && before.state() != PrimaryLockFile.State.CLEAN;
        boolean unlisted =
                before == null
                        || !content.broken().isEmpty()
                        || before.state() == PrimaryLockFile.State.UNLISTED;

        List<HoldRecord> listed = sameBoot && wasActive && !otherPeer ? content.holds() : List.of();
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
                        && (otherPeer
                                || afterStranger
                                || (unlisted && (wasActive || before == null)));
        this.takeoverGracePeriod =
                new TakeoverGracePeriod(
                        this,
                        listed,
                        unknown,
                        otherPeer || afterStranger || before == null ? 0 : before.epoch(),
                        System.nanoTime());
        if (unknown) { // should we end before all are back, the next one must wait for them too
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
     * Tries once, without waiting.
     *
     * @throws IOException if this process can never be the primary there: what is at the path is no
     *     socket, its folder cannot be written to, the path is too long
     */
    public static Attempt tryTake(Path socket) throws IOException {
        return tryTake(socket, false);
    }

    /**
     * Tries once, without waiting.
     *
     * @param afterStranger whether the primary before, as far as the caller knows, was one that
     *     takes no lock file: if it ended in order it has left nothing that says so
     * @throws IOException as for {@link #tryTake(Path)}
     */
    public static Attempt tryTake(Path socket, boolean afterStranger) throws IOException {
        Path path = check(socket);
        String registration = TAKEN + path;
        // In one process the file must be open once only: closing it anywhere ends the lock. The
        // properties are the same for all class loaders.
        if (System.getProperties().putIfAbsent(registration, "") != null) {
            return new Attempt.Busy();
        }
        Attempt attempt = null;
        try {
            attempt = tryTake(path, registration, afterStranger);
            return attempt;
        } finally {
            if (!(attempt instanceof Attempt.Taken)) {
                System.getProperties().remove(registration);
            }
        }
    }

    /**
     * The path with a folder that has one name only.
     *
     * @throws IOException if no socket can be there
     */
    public static Path check(Path socket) throws IOException {
        Path path = socket.toAbsolutePath();
        Path name = path.getFileName();
        if (name == null) {
            throw new FileSystemException(socket.toString(), null, "is no name for a socket");
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
                    "the path is too long for a socket, at most "
                            + MAX_PATH_BYTES
                            + " bytes are allowed");
        }
    }

    private static Path freshName(Path path) {
        int number = ThreadLocalRandom.current().nextInt(FRESH_NAMES / 36, FRESH_NAMES);
        return path.resolveSibling("." + Integer.toString(number, 36));
    }

    private static synchronized Attempt tryTake(
            Path path, String registration, boolean afterStranger) throws IOException {
        requireSocketOrNothing(path);
        Path lockPath = path.resolveSibling(path.getFileName() + ".lock");
        while (true) {
            Object before = identityOrNull(lockPath);
            FileChannel kept = before == null ? null : KEPT_OPEN.remove(before);
            FileChannel channel = kept == null ? open(lockPath) : kept;
            boolean keep = false;
            try {
                FileLock lock;
                try {
                    lock = channel.tryLock();
                } catch (OverlappingFileLockException e) {
                    keep = true; // closing it would end the lock that this process has
                    KEPT_OPEN.put(before == null ? channel : before, channel);
                    return new Attempt.Busy();
                }
                if (lock == null) {
                    return new Attempt.Busy();
                }
                if (before == null || !before.equals(identityOrNull(lockPath))) {
                    continue; // made just now, or not the file of that name any more
                }
                Probe found = probe(path);
                if (found != Probe.NOBODY) {
                    return found == Probe.ANSWERS ? new Attempt.Served() : new Attempt.Busy();
                }
                requireSocketOrNothing(path);
                PrimaryLock primaryLock =
                        new PrimaryLock(
                                path, lockPath, registration, channel, lock, before, afterStranger);
                keep = true;
                return new Attempt.Taken(primaryLock);
            } finally {
                if (!keep) {
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
        ANSWERS,
        NOBODY,
        UNCLEAR
    }

    /** Only a refusal, or no file, is evidence that nobody listens. */
    private static Probe probe(Path path) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(path));
            return Probe.ANSWERS;
        } catch (ConnectException e) {
            return Probe.NOBODY;
        } catch (IOException e) {
            return Files.notExists(path, LinkOption.NOFOLLOW_LINKS) ? Probe.NOBODY : Probe.UNCLEAR;
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

    /** Where the fresh socket is bound; {@link #publish} gives it its name. */
    public Path bindPath() {
        return bindPath;
    }

    /**
     * Gives the socket that listens at {@link #bindPath} its name: no other name ever leads to a
     * socket that does not listen, and nothing is removed.
     */
    public synchronized void publish() throws IOException {
        Object bound = identityOrNull(bindPath);
        header =
                new PrimaryLockFile.Header(
                        header.epoch(),
                        header.state(),
                        header.fence(),
                        header.boot(),
                        // Whichever of the two we leave at the path, should we end right here.
                        header.socket() + ";" + identity(bindPath));
        file.write(header);
        Files.move(
                bindPath,
                path,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        socketIdentity = bound;
    }

    /** The number of this primary: each has a higher one than all before. */
    public synchronized long epoch() {
        return header.epoch();
    }

    /** Every fence must be above this one. */
    public long fenceFloor() {
        return fenceFloor;
    }

    /** What is to be waited for before anything is offered. */
    public TakeoverGracePeriod grace() {
        return takeoverGracePeriod;
    }

    /** Whether the path and the lock file still are those of this seat. */
    public boolean isOurs() {
        Object expected;
        synchronized (this) {
            if (closed || left) {
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
     * Lists a hold; call it before its holder can believe that it has the lock.
     *
     * @param fence of the hold; it must not be told before either
     * @return null if the seat has been left, or is left because nothing can be written: then
     *     nobody may be told anything any more
     */
    public synchronized @Nullable HoldRecord record(
            boolean write, String clientId, String lockId, ProcessIdentity process, long fence) {
        if (left) {
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
        return left ? null : hold;
    }

    /** A hold that is listed already is booked again, with a new fence. */
    synchronized void rebook(long fence) {
        if (left) {
            return;
        }
        try {
            reserve(fence);
        } catch (IOException e) {
            markIncomplete();
        }
    }

    private void reserve(long fence) throws IOException {
        if (fence >= header.fence()) {
            header =
                    new PrimaryLockFile.Header(
                            header.epoch(),
                            header.state(),
                            fence + FENCES_AHEAD,
                            header.boot(),
                            header.socket());
            file.write(header);
        }
    }

    /** The hold has ended. */
    public synchronized void erase(HoldRecord hold) {
        if (left || !holds.remove(hold)) {
            return;
        }
        used.clear(hold.index);
        try {
            file.erase(hold.index);
        } catch (IOException e) {
            markIncomplete();
        }
    }

    /** The disk is full, say: the next primary waits for everybody that may be there. */
    private void markIncomplete() {
        incomplete = true;
        if (header.state() == PrimaryLockFile.State.UNLISTED) {
            return;
        }
        header = with(PrimaryLockFile.State.UNLISTED);
        try {
            file.write(header);
        } catch (IOException e) {
            leaveQuietly(); // not even that can be said, so nobody is served
        }
    }

    private void leaveQuietly() {
        left = true;
    }

    /** Everything that may have been held before is listed or gone. */
    synchronized void graceIsOver() {
        if (!left && !incomplete && header.state() == PrimaryLockFile.State.UNLISTED) {
            header = with(PrimaryLockFile.State.ACTIVE);
            try {
                file.write(header);
            } catch (IOException e) {
                leaveQuietly();
            }
        }
    }

    private PrimaryLockFile.Header with(PrimaryLockFile.State state) {
        return new PrimaryLockFile.Header(
                header.epoch(), state, header.fence(), header.boot(), header.socket());
    }

    // ---- the end

    /**
     * Ends the service: no hold is listed or erased any more, and the path is removed if it still
     * is ours. Close the listener and all connections before {@link #close}.
     */
    public synchronized void stopServing() {
        if (left || closed) {
            return;
        }
        if (socketIdentity != null) {
            try {
                if (holds.isEmpty() && header.state() == PrimaryLockFile.State.ACTIVE) {
                    header = with(PrimaryLockFile.State.CLEAN);
                    file.write(header);
                }
                // A successor that finds no list of the holds must find that somebody was here.
                boolean mayGo =
                        header.state() == PrimaryLockFile.State.CLEAN
                                || lockIdentity.equals(identityOrNull(lockPath));
                if (mayGo && socketIdentity.equals(identityOrNull(path))) {
                    Files.delete(path);
                }
            } catch (IOException e) {
                // What is left tells the next one to be careful.
            }
        }
        left = true;
    }

    /** Gives the seat up. */
    public synchronized void close() {
        if (closed) {
            return;
        }
        leaveUnpublished();
        left = true;
        closed = true;
        try (channel) {
            lock.release();
        } catch (IOException e) {
            // The lock ends with the file.
        } finally {
            System.getProperties().remove(registration);
        }
    }

    /** A socket that never got its name. */
    private void leaveUnpublished() {
        if (socketIdentity == null) {
            try {
                Files.deleteIfExists(bindPath);
            } catch (IOException e) {
                // It is in nobody's way.
            }
        }
    }

    /** What tells a file from all others that are there at the same time; null if there is none. */
    public static @Nullable Object identityOrNull(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** As one word. The time tells two files apart that had the same place one after the other. */
    private static String identity(Path file) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        String key = Objects.toString(attributes.fileKey(), "-").replaceAll("\\(dev=|ino=|\\)", "");
        return key + "@" + attributes.lastModifiedTime().toInstant();
    }

    @Override
    public String toString() {
        return "seat of " + path;
    }
}
