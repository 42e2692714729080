package io.holdfast.server;

import io.holdfast.driver.FailureText;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.StartException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The file of a Unix socket. A stale socket of an earlier server is replaced; any other file, and
 * the socket of a live server, is not touched. Removed at the end if it is still the one that was
 * created.
 */
final class UnixSocketFile {
    private static final Logger LOG = LoggerFactory.getLogger(UnixSocketFile.class);

    /** The bits of a file's mode that are its type, and their value for a socket. */
    private static final int FILE_TYPE = 0170000;

    private static final int SOCKET = 0140000;

    /** The longest path that the system, Netty and the JDK all accept. */
    private static final int MAX_PATH_BYTES = 106;

    /**
     * Number of names for private directories. The names are short because the path of a socket in
     * such a directory is limited too.
     */
    private static final int DIRECTORY_NAMES = 36 * 36 * 36;

    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");

    /** Binds a socket at a path; the file exists when it returns. */
    @FunctionalInterface
    interface Binding {
        void bind(Path path) throws StartException;
    }

    private final Path path;

    /** Distinguishes our file from one that replaced it. */
    private final @Nullable Object identity;

    private UnixSocketFile(Path path, @Nullable Object identity) {
        this.path = path;
        this.identity = identity;
    }

    /**
     * Removes a stale socket and binds the new one in a private directory first: Netty removes any
     * file at the path that it bound, and no client may connect before the permissions are set. A
     * lock file, which exists only during this call, excludes other servers that start at the same
     * path.
     */
    static UnixSocketFile bind(ListenAddress.Unix address, Binding binding) throws StartException {
        Path path = address.path();
        if (path.toString().getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES) {
            throw new StartException(
                    "cannot listen on " + path + ": the path is too long for a socket");
        }
        Path lockPath = Path.of(path + ".holdfast-lock");
        try (FileChannel channel =
                        FileChannel.open(
                                lockPath,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE,
                                LinkOption.NOFOLLOW_LINKS);
                FileLock lock = tryLock(channel)) {
            if (lock == null) {
                throw new StartException(
                        "cannot listen on " + path + ": another server is starting there");
            }
            try {
                removeStale(path);
                Path directory = privateDirectory(path);
                try {
                    Path fresh = directory.resolve("s");
                    binding.bind(fresh);
                    return publish(fresh, address);
                } finally {
                    Files.delete(directory);
                }
            } finally {
                if (channel.size() == 0) { // else it is not our file
                    Files.deleteIfExists(lockPath);
                }
            }
        } catch (NoSuchFileException e) {
            throw new StartException("cannot listen on " + path + ": no such directory", e);
        } catch (IOException | UnsupportedOperationException e) { // the file system has no modes
            throw new StartException("cannot listen on " + path + ": " + FailureText.of(e), e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    private static void removeStale(Path path) throws IOException, StartException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!isSocket(path)) {
            throw new StartException(
                    "cannot listen on "
                            + path
                            + ": the file there is not a socket; remove it or choose another path"
                            + " with --listen");
        }
        if (isListening(path)) {
            throw new StartException(
                    "cannot listen on "
                            + path
                            + ": another server is listening there; choose another path with"
                            + " --listen");
        }
        LOG.atInfo().addKeyValue("path", path).log("replacing a stale socket file");
        Files.delete(path);
    }

    private static boolean isSocket(Path path) throws IOException {
        Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        return mode instanceof Integer bits && (bits & FILE_TYPE) == SOCKET;
    }

    private static boolean isListening(Path path) throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false); // a server with a full backlog is alive too
            return probe.connect(UnixDomainSocketAddress.of(path));
        } catch (ConnectException e) {
            return false; // refused: no server listens
        }
    }

    /** Creates a directory beside the socket that only its owner can access. */
    private static Path privateDirectory(Path path) throws IOException {
        while (true) {
            int number = ThreadLocalRandom.current().nextInt(DIRECTORY_NAMES);
            try {
                return Files.createDirectory(
                        path.resolveSibling("." + Integer.toString(number, 36)),
                        PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            } catch (FileAlreadyExistsException e) {
                LOG.debug("the name of the temporary directory is in use; trying another");
            }
        }
    }

    /** Sets the permissions of a bound socket, then moves it to its path. */
    private static UnixSocketFile publish(Path fresh, ListenAddress.Unix address)
            throws IOException {
        try {
            Object identity = identityOf(fresh);
            if (address.permissions() != null) {
                Files.setPosixFilePermissions(fresh, address.permissions());
            }
            Files.move(fresh, address.path());
            return new UnixSocketFile(address.path(), identity);
        } catch (IOException | UnsupportedOperationException e) {
            Files.deleteIfExists(fresh);
            throw e;
        }
    }

    private static @Nullable Object identityOf(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /** Removes the file, unless another server has replaced it. */
    void remove() {
        try {
            if (identity != null && Objects.equals(identity, identityOf(path))) {
                Files.delete(path);
            }
        } catch (NoSuchFileException e) {
            LOG.atDebug().addKeyValue("path", path).log("socket file is already removed");
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("path", path).setCause(e).log("cannot remove the socket file");
        }
    }
}
