package io.holdfast.socketlock.internal.primary;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** A hold as listed in the lock file, for the next primary. */
public final class HoldRecord {
    static final int MAX_PROCESS_CHARS = 96;
    private static final int MAX_ID_CHARS = 40;
    private static final int HASH_BYTES = 16;
    private static final int FIELDS = 6;

    /** The index of its record in the file. */
    final int index;

    final boolean write;
    final long epoch;
    final String clientId;
    final String lockId;
    final ProcessIdentity process;

    HoldRecord(
            int index,
            boolean write,
            long epoch,
            String clientId,
            String lockId,
            ProcessIdentity process) {
        this.index = index;
        this.write = write;
        this.epoch = epoch;
        this.clientId = shortened(clientId);
        this.lockId = shortened(lockId);
        this.process = process;
    }

    /** Parses a record of the file; null if it is malformed. */
    static @Nullable HoldRecord parse(int index, String line) {
        String[] fields = line.split(" ", -1);
        if (fields.length != FIELDS
                || !fields[0].equals("hold")
                || !(fields[1].equals("write") || fields[1].equals("read"))) {
            return null;
        }
        try {
            return new HoldRecord(
                    index,
                    fields[1].equals("write"),
                    Long.parseLong(fields[2]),
                    fields[3],
                    fields[4],
                    ProcessIdentity.parse(fields[5]));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    String line() {
        return String.join(
                " ",
                "hold",
                write ? "write" : "read",
                Long.toString(epoch),
                clientId,
                lockId,
                process.toString());
    }

    /** An id as one short field: ids that are long or not plain ASCII are replaced by a hash. */
    static String shortened(String id) {
        boolean plain =
                !id.isEmpty()
                        && id.length() <= MAX_ID_CHARS
                        && id.chars().allMatch(c -> c > ' ' && c < 0x7f);
        return plain ? id : "~" + hash(id);
    }

    private static String hash(String id) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(id.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(Arrays.copyOf(digest, HASH_BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // SHA-256 is part of every JDK
        }
    }

    @Override
    public String toString() {
        return line();
    }
}
