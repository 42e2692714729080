package io.holdfast.cli.serve;

import io.holdfast.console.options.FileNames;
import io.holdfast.driver.FailureText;
import io.holdfast.driver.config.ConfigException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file with the id of this process, locked while it runs and removed when it ends. */
final class PidFile implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PidFile.class);

    /** More than a process id with a line break needs. */
    private static final int MAX_BYTES = 32;

    private final Path path;
    private final FileChannel channel;

    private PidFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /** Writes the file; fails if another process has locked it. */
    static PidFile write(String name) {
        FileChannel channel = null;
        try {
            Path path = Path.of(name);
            channel =
                    FileChannel.open(
                            path,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.READ,
                            StandardOpenOption.WRITE);
            FileLock lock = channel.tryLock();
            if (lock == null) {
                throw new IOException("the pid file is locked by another running server");
            }
            if (!Files.isRegularFile(path) || !isPidFile(channel)) {
                throw new IOException("the file exists and is not a pid file");
            }
            channel.truncate(0);
            byte[] number =
                    Long.toString(ProcessHandle.current().pid())
                            .getBytes(StandardCharsets.US_ASCII);
            int _ = channel.write(ByteBuffer.wrap(number));
            return new PidFile(path, channel);
        } catch (IOException | InvalidPathException e) {
            closeQuietly(channel);
            throw new ConfigException("cannot write the pid file " + name + ": " + reason(e));
        }
    }

    /** Whether the file is empty or contains a process id only. */
    private static boolean isPidFile(FileChannel channel) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(MAX_BYTES + 1);
        while (content.hasRemaining() && channel.read(content, content.position()) > 0) {
            // until the end of the file, or until the buffer is full
        }
        String text = new String(content.array(), 0, content.position(), StandardCharsets.US_ASCII);
        return content.hasRemaining() && text.strip().matches("[0-9]*");
    }

    private static String reason(Exception e) {
        return switch (e) {
            // the file itself would have been created
            case NoSuchFileException _ -> "no such directory";
            case InvalidPathException i -> FileNames.refused(i.getInput());
            default -> FailureText.of(e);
        };
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("path", path).setCause(e).log("cannot remove the pid file");
        }
        closeQuietly(channel);
    }

    private static void closeQuietly(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            LOG.atDebug().setCause(e).log("cannot close the pid file");
        }
    }
}
