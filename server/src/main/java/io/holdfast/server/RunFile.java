package io.holdfast.server;

import io.holdfast.driver.DurableFile;
import io.holdfast.server.connection.AddressFormat;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A small file that exists while a server at a listen address has sessions that may outlive their
 * connections; it remains if the server did not stop cleanly. It contains the longest grace of
 * these sessions. Not thread-safe.
 */
final class RunFile {
    private static final long MAX_BYTES = 1024;
    private static final Pattern CONTENT =
            Pattern.compile(
                    "holdfast-run 1\naddress=(.*)\nsession_grace_s=([0-9]{1,10})\nrun=.*\n");

    private final Path path;
    private final String address;
    private final String run;

    /** The content that this run read or wrote last, damaged or not; null if there is none. */
    private @Nullable String known;

    /**
     * @param run identifies this run of the server
     */
    RunFile(Path directory, InetSocketAddress listener, String run) {
        this.address = AddressFormat.of(listener);
        this.path = directory.resolve(address.replaceAll("[^0-9A-Za-z.]", "-") + ".run");
        this.run = run;
    }

    Path path() {
        return path;
    }

    /** The content of the file is not valid. */
    static final class DamagedException extends Exception {
        private static final long serialVersionUID = 1L;

        DamagedException(String message) {
            super(message);
        }
    }

    /** The grace that an earlier run has recorded, in seconds; 0 if there is no file. */
    long leftSeconds() throws IOException, DamagedException {
        String text = read();
        known = text;
        if (text == null) {
            return 0;
        }
        Matcher content = CONTENT.matcher(text);
        if (!content.matches()) {
            throw new DamagedException("not a run file");
        }
        if (!content.group(1).equals(address)) {
            throw new DamagedException("it belongs to the listener " + content.group(1));
        }
        return Long.parseLong(content.group(2));
    }

    /** Records a grace; it survives a power failure when this returns. */
    void write(long graceSeconds) throws IOException {
        String text =
                "holdfast-run 1\naddress="
                        + address
                        + "\nsession_grace_s="
                        + graceSeconds
                        + "\nrun="
                        + run
                        + "\n";
        DurableFile.replace(path, text.getBytes(StandardCharsets.ISO_8859_1));
        known = text;
    }

    /** Removes the file, unless its content is not what this run read or wrote last. */
    void remove() throws IOException {
        if (known == null) {
            return;
        }
        if (known.equals(read())) {
            DurableFile.remove(path);
        }
        known = null;
    }

    /** The content; null if there is no file, empty if it is too long for a run file. */
    private @Nullable String read() throws IOException {
        try {
            return Files.size(path) > MAX_BYTES
                    ? ""
                    : Files.readString(path, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}
