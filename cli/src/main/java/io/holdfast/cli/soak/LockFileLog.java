package io.holdfast.cli.soak;

import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;

/** The file of {@link LockFileLine}s, to which many processes append. Not for several threads. */
final class LockFileLog implements Closeable {
    private final FileOutputStream out; // unlike a channel, it does not mind interrupts
    private final RandomAccessFile in;
    private final StringBuilder begun = new StringBuilder();

    LockFileLog(Path file) throws IOException {
        out = new FileOutputStream(file.toFile(), true);
        in = new RandomAccessFile(file.toFile(), "r");
    }

    /** In one piece. */
    void append(LockFileLine line) throws IOException {
        out.write((line.text() + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    /** Hands over what has come since the last time, whole lines only. */
    void read(Consumer<String> lines) throws IOException {
        var bytes = new byte[8192];
        for (int count = in.read(bytes); count > 0; count = in.read(bytes)) {
            begun.append(new String(bytes, 0, count, StandardCharsets.US_ASCII));
        }
        int from = 0;
        for (int end = begun.indexOf("\n"); end >= 0; end = begun.indexOf("\n", from)) {
            lines.accept(begun.substring(from, end));
            from = end + 1;
        }
        begun.delete(0, from);
    }

    @Override
    public void close() throws IOException {
        out.close();
        in.close();
    }
}
