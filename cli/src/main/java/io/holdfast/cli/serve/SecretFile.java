package io.holdfast.cli.serve;

import io.holdfast.driver.config.ConfigException;
import io.holdfast.protocol.text.Whitespace;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads the files of secrets. Exceptions name the file and never the secret. */
public final class SecretFile {
    private SecretFile() {}

    /**
     * Returns the contents of a file without the whitespace around them.
     *
     * @param noun what the file contains
     * @throws ConfigException if the file cannot be read, is empty or has more than one line
     */
    public static byte[] read(String file, String noun) {
        String named = noun + " file " + file;
        try {
            return trimmed(Files.readAllBytes(Path.of(file)), named);
        } catch (NoSuchFileException e) {
            throw new ConfigException("cannot read " + named + ": it does not exist");
        } catch (AccessDeniedException e) {
            throw new ConfigException("cannot read " + named + ": permission denied");
        } catch (InvalidPathException e) {
            throw new ConfigException("cannot read " + named + ": " + e.getReason());
        } catch (IOException e) { // for a directory, the message is "Is a directory"
            throw new ConfigException("cannot read " + named + ": " + e.getMessage());
        }
    }

    /**
     * Returns a secret without the whitespace around it.
     *
     * @throws ConfigException if it is empty or has more than one line
     */
    static byte[] trimmed(byte[] bytes, String noun) {
        byte[] trimmed = Whitespace.trim(bytes);
        if (trimmed.length == 0) {
            throw new ConfigException(noun + " is empty");
        }
        for (byte c : trimmed) {
            if (c == '\n' || c == '\r') {
                throw new ConfigException(noun + " contains a line break");
            }
        }
        return trimmed;
    }
}
