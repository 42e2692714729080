package io.holdfast.driver;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Changes small files so that a crash leaves the old content or the new one. */
public final class DurableFile {
    private DurableFile() {}

    /** The file has this content, also after a power cut, when this returns. */
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

    /** The file is gone, also after a power cut, when this returns. */
    public static void remove(Path file) throws IOException {
        if (Files.deleteIfExists(file)) {
            syncFolder(file.toAbsolutePath().getParent());
        }
    }

    /** Entries of a folder that were created, renamed or removed stay so after a power cut. */
    public static void syncFolder(@Nullable Path folder) throws IOException {
        if (folder != null) {
            sync(folder);
        }
    }

    /** What was written to a file or a folder is there after a power cut. */
    public static void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
