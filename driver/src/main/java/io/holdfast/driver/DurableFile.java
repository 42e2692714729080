package io.holdfast.driver;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Replaces small files atomically: a crash leaves either the old content or the new content. */
public final class DurableFile {
    private DurableFile() {}

    /** When this returns, the file has this content, also after a power failure. */
    public static void replace(Path file, byte[] content) throws IOException {
        Path absolute = file.toAbsolutePath();
        Path temporary = absolute.resolveSibling(absolute.getFileName() + ".new");
        try (FileChannel channel =
                FileChannel.open(
                        temporary,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                var _ = channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(
                temporary,
                absolute,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        syncFolder(absolute.getParent());
    }

    /** When this returns, the file does not exist, also after a power failure. */
    public static void remove(Path file) throws IOException {
        if (Files.deleteIfExists(file)) {
            syncFolder(file.toAbsolutePath().getParent());
        }
    }

    /** Makes the creation, renaming and removal of entries of a directory durable. */
    public static void syncFolder(@Nullable Path directory) throws IOException {
        if (directory != null) {
            sync(directory);
        }
    }

    /** Makes what was written to a file or a directory durable. */
    public static void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
