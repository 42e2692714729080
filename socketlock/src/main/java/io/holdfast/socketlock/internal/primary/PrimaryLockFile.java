package io.holdfast.socketlock.internal.primary;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The content of the lock file: a header, then a record for each hold. All records have the same
 * size and are written by one call, so that a killed process leaves each record either unchanged or
 * complete.
 */
final class PrimaryLockFile {
    static final int RECORD_BYTES = 256;
    private static final String MAGIC = "holdfast-lock";
    private static final String FREE = "free";
    private static final int HEADER_FIELDS = 12;

    /** The number of records, including the header, that are allocated in advance. */
    private static final int FIRST_RECORDS = 32;

    /** Whether the list of holds is complete. */
    enum State {
        /** There are no holds. */
        CLEAN,
        /** Every hold is listed. */
        ACTIVE,
        /** Some holds may not be listed. */
        UNLISTED
    }

    /**
     * The first record.
     *
     * @param fence greater than every fence assigned so far
     * @param boot the boot id of the host when it was written
     * @param socket the identities of the socket files that a Holdfast primary may have left at the
     *     path
     */
    record Header(long epoch, State state, long fence, String boot, String socket) {
        static final Header NONE = new Header(0, State.CLEAN, 0, "-", "-");

        String line() {
            return String.join(
                    " ",
                    MAGIC,
                    "1",
                    "epoch",
                    Long.toString(epoch),
                    "state",
                    state.name().toLowerCase(Locale.ROOT),
                    "fence",
                    Long.toString(fence),
                    "boot",
                    boot,
                    "socket",
                    socket);
        }

        static @Nullable Header parse(String line) {
            String[] fields = line.split(" ", -1);
            if (fields.length != HEADER_FIELDS
                    || !fields[0].equals(MAGIC)
                    || !fields[1].equals("1")) {
                return null;
            }
            try {
                return new Header(
                        Long.parseLong(fields[3]),
                        State.valueOf(fields[5].toUpperCase(Locale.ROOT)),
                        Long.parseLong(fields[7]),
                        fields[9],
                        fields[11]);
            } catch (IllegalArgumentException e) {
                return null;
            }
        }
    }

    /**
     * The parsed content.
     *
     * @param header null if the header is malformed
     * @param broken the indexes of malformed records
     */
    record Content(@Nullable Header header, List<HoldRecord> holds, List<Integer> broken) {}

    private final FileChannel channel;

    PrimaryLockFile(FileChannel channel) {
        this.channel = channel;
    }

    Content read() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(channel.size(), 1 << 28));
        while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) > 0) {
            // on
        }
        bytes.flip();
        if (bytes.limit() == 0) {
            return new Content(Header.NONE, List.of(), List.of());
        }
        Header header = null;
        List<HoldRecord> holds = new ArrayList<>();
        List<Integer> broken = new ArrayList<>();
        for (int index = 0; bytes.hasRemaining(); index++) {
            byte[] record = new byte[Math.min(RECORD_BYTES, bytes.remaining())];
            bytes.get(record);
            String line = new String(record, StandardCharsets.ISO_8859_1).strip();
            if (index == 0) {
                header = Header.parse(line);
            } else if (!line.equals(FREE) && !isBlank(record)) {
                HoldRecord hold = HoldRecord.parse(index, line);
                if (hold == null) {
                    broken.add(index);
                } else {
                    holds.add(hold);
                }
            }
        }
        return new Content(header, holds, broken);
    }

    private static boolean isBlank(byte[] record) {
        for (byte b : record) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Allocates the first records, so that a full disk is detected now and not with the first
     * holds.
     */
    void prepare() throws IOException {
        for (int index = 1; index < FIRST_RECORDS; index++) {
            if (channel.size() < (long) (index + 1) * RECORD_BYTES) {
                erase(index);
            }
        }
    }

    void write(Header header) throws IOException {
        write(0, header.line());
    }

    void write(HoldRecord hold) throws IOException {
        write(hold.index, hold.line());
    }

    void erase(int index) throws IOException {
        write(index, FREE);
    }

    void force() throws IOException {
        channel.force(false);
    }

    private void write(int index, String line) throws IOException {
        byte[] record = new byte[RECORD_BYTES];
        Arrays.fill(record, (byte) ' ');
        byte[] text = line.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(text, 0, record, 0, Math.min(text.length, RECORD_BYTES - 1));
        record[RECORD_BYTES - 1] = '\n';
        ByteBuffer bytes = ByteBuffer.wrap(record);
        while (bytes.hasRemaining()) {
            channel.write(bytes, (long) index * RECORD_BYTES + bytes.position());
        }
    }
}
