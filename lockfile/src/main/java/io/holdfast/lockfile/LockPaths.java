package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The paths of a lock's files: the lock file, the sidecar (a file whose file lock is held during
 * every removal), and short-lived helper files. None is named {@code <lock>.*.tmp}, since other
 * programs delete such files.
 *
 * @param folder the real path, so that all names of a folder lead to the same sidecar
 * @param name of the lock file
 */
record LockPaths(Path folder, String name) {
    private static final String SIDECAR = ".guard";
    private static final String NEW = ".new";
    private static final String OLD = ".old";

    /** The prefix that replaces the lock's name where the file name would be too long. */
    private static final String SHORT = ".fsem-";

    private static final Pattern HELPER = Pattern.compile("[0-9]+\\.[0-9a-f]{16}\\.(new|old)");
    private static final Pattern SHORT_HELPER = Pattern.compile("[0-9a-f]{16}\\.(new|old)");
    private static final Pattern FOREIGN_HELPER = Pattern.compile("[0-9]+\\.[0-9a-f]{16}\\.tmp");
    private static final String MAX_PID_AND_REST = "4194304.0123456789abcdef.new";
    private static final int MAX_NAME_BYTES = 255;
    private static final int RANDOM_BYTES = 8;
    private static final int MAX_LINKS = 40;
    private static final SecureRandom RANDOM = new SecureRandom();

    static LockPaths of(Path given, boolean followLinks) {
        try {
            return resolve(followLinks ? follow(given) : given);
        } catch (IOException e) {
            throw new LockPathException(
                    given, "no such folder: " + parent(given) + " (for " + given + ")", e);
        }
    }

    private static LockPaths resolve(Path given) throws IOException {
        Path last = given.getFileName();
        if (last == null || Set.of("", ".", "..").contains(last.toString())) {
            throw new LockPathException(given, "a lock file needs a name: '" + given + "'", null);
        }
        if (last.toString().endsWith(SIDECAR)) {
            throw new LockPathException(
                    given,
                    given
                            + " ends in "
                            + SIDECAR
                            + ", which is reserved for the sidecar of a lock; choose another name",
                    null);
        }
        Path folder = parent(given).toRealPath();
        if (!Files.isDirectory(folder)) {
            throw new LockPathException(given, folder + " is not a folder", null);
        }
        return new LockPaths(folder, last.toString());
    }

    private static Path parent(Path given) {
        Path parent = given.toAbsolutePath().getParent();
        return parent == null ? given.toAbsolutePath() : parent;
    }

    private static Path follow(Path given) throws IOException {
        Path at = given;
        for (int links = 0; Files.isSymbolicLink(at); links++) {
            if (links == MAX_LINKS) {
                throw new LockPathException(
                        given,
                        given + ": more than " + MAX_LINKS + " symbolic links, or a cycle",
                        null);
            }
            at = parent(at).resolve(Files.readSymbolicLink(at));
        }
        return at;
    }

    Path lock() {
        return folder.resolve(name);
    }

    /**
     * The sidecar. It is never deleted: a file lock on a deleted sidecar would not exclude
     * processes that have created a new one.
     */
    Path sidecar() {
        String full = name + SIDECAR;
        return folder.resolve(fits(full) ? full : SHORT + hash(name) + SIDECAR);
    }

    /** A new helper path for a lock file that is being written. */
    Path newHelper() {
        return helper(NEW);
    }

    /** A new helper path for a lock file that is being removed. */
    Path oldHelper() {
        return helper(OLD);
    }

    private Path helper(String end) {
        String random = randomHex();
        String full = helperPrefix() + OwnProcess.PID + "." + random + end;
        return folder.resolve(fits(full) ? full : SHORT + random + end);
    }

    private String helperPrefix() {
        return "." + name + ".";
    }

    /** The prefixes of helper names, including those of other programs. */
    List<String> helperPrefixes() {
        return fits(helperPrefix() + MAX_PID_AND_REST)
                ? List.of(helperPrefix(), name + ".")
                : List.of(helperPrefix(), name + ".", SHORT); // a short pid may still fit
    }

    /**
     * Whether a file is a helper of this lock, or a helper with a shortened name, which may be of
     * another lock.
     */
    boolean isHelper(String file) {
        return isMatch(file, helperPrefix(), HELPER)
                || isMatch(file, name + ".", FOREIGN_HELPER)
                || isMatch(file, SHORT, SHORT_HELPER);
    }

    private static boolean isMatch(String file, String prefix, Pattern rest) {
        return file.startsWith(prefix) && rest.matcher(file.substring(prefix.length())).matches();
    }

    static String randomHex() {
        var bytes = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static boolean fits(String file) {
        return file.getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES;
    }

    private static String hash(String text) {
        try {
            byte[] whole =
                    MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(Arrays.copyOf(whole, RANDOM_BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("SHA-256 is part of every JDK", e);
        }
    }
}
