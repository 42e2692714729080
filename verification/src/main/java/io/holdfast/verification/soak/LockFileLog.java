package io.holdfast.verification.soak;

import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;

/** The file of {@link LockFileLine}s, to which many processes append. Not thread-safe. */
final class LockFileLog implements Closeable {
    private final FileOutputStream out; // unlike a channel, it is not closed by an interrupt
    private final RandomAccessFile in;
    private final StringBuilder buffered = new StringBuilder();

    LockFileLog(Path file) throws IOException {
        out = new FileOutputStream(file.toFile(), true);
        in = new RandomAccessFile(file.toFile(), "r");
    }

    /** Appends the line in one write. */
    void append(LockFileLine line) throws IOException {
        out.write((line.text() + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    /** Reads the complete lines that were appended since the last call. */
    void read(Consumer<String> lines) throws IOException {
        var bytes = new byte[8192];
        for (int count = in.read(bytes); count > 0; count = in.read(bytes)) {
            buffered.append(new String(bytes, 0, count, StandardCharsets.US_ASCII));
        }
        int from = 0;
        for (int end = buffered.indexOf("\n"); end >= 0; end = buffered.indexOf("\n", from)) {
            lines.accept(buffered.substring(from, end));
            from = end + 1;
        }
        buffered.delete(0, from);
    }

    @Override
    public void close() throws IOException {
        out.close();
        in.close();
    }
}
