package io.holdfast.cluster;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Files that are there as a whole or not at all, whenever the power fails. */
public final class DurableFile {
    private DurableFile() {}

    /** Replaces a file; the new content survives a power cut when this returns. */
    public static void replace(Path file, byte[] content) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".new");
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
                file,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
        syncFolder(file.toAbsolutePath().getParent());
    }

    /** To be called after a file in a folder was created, renamed or removed. */
    public static void syncFolder(@Nullable Path folder) throws IOException {
        if (folder == null) {
            return;
        }
        sync(folder);
    }

    /** Syncs a file or a folder that something has been written to. */
    public static void sync(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
