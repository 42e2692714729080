package io.holdfast.cli.file;

import io.holdfast.console.output.JsonLine;
import io.holdfast.console.output.Printer;
import io.holdfast.console.output.StandardOutput;
import io.holdfast.lockfile.Guard;
import io.holdfast.lockfile.Holder;
import io.holdfast.lockfile.LockFileContent;
import io.holdfast.lockfile.LockFileStatus;

import java.util.Locale;

/** Prints the result of a command, as text or JSON. */
final class FileCommandReport {
    private final String path;
    private final boolean json;
    private final boolean quiet;
    private final boolean verbose;

    /**
     * @param path the path as the user typed it
     */
    FileCommandReport(String path, boolean json, boolean quiet, boolean verbose) {
        this.path = path;
        this.json = json;
        this.quiet = quiet;
        this.verbose = verbose;
    }

    int acquired(Guard guard) {
        Holder holder = guard.holder();
        return success(
                "Lock acquired: " + path,
                new JsonLine()
                        .put("status", "acquired")
                        .put("pid", holder.pid())
                        .put("timestamp", holder.timestamp())
                        .put("tag", holder.tag())
                        .put("nonce", guard.nonce()));
    }

    /** Whether the JSON output, which alone has the nonce, could not be written. */
    boolean isOutputClosed() {
        return json && Printer.isOutputClosed();
    }

    int released() {
        return success("Lock released: " + path, new JsonLine().put("status", "released"));
    }

    int cleaned(boolean anything) {
        return success(
                (anything ? "Cleaned: " : "Nothing to clean: ") + path,
                new JsonLine().put("cleaned", anything));
    }

    /** The lock that was waited for is free or stale. */
    int free(LockFileStatus lockFileStatus) {
        return success(
                (lockFileStatus.isLocked() ? "Lock is stale: " : "Lock is free: ") + path,
                json(lockFileStatus));
    }

    int status(LockFileStatus lockFileStatus) {
        if (json) {
            out(json(lockFileStatus).toString());
        } else {
            out("Lock status: " + (lockFileStatus.isLocked() ? "LOCKED" : "FREE"));
            out("  Path: " + path);
            if (lockFileStatus.isLocked()) {
                details(lockFileStatus);
            }
        }
        return lockFileStatus.isLocked() ? 1 : 0;
    }

    private void details(LockFileStatus lockFileStatus) {
        lockFileStatus
                .holder()
                .ifPresentOrElse(
                        holder -> {
                            out("  PID: " + holder.pid());
                            out("  Timestamp: " + holder.timestamp());
                            if (holder.tag() != null) {
                                out("  Tag: " + Printer.printable(holder.tag()));
                            }
                            out("  Process running: " + lowerCase(lockFileStatus.alive()));
                        },
                        () -> out("  Found: " + found(lockFileStatus)));
        if (lockFileStatus.isStale()) {
            out("  Stale: yes");
        }
        if (lockFileStatus.isInFuture()) {
            out("  Note: dated in the future, held until then unless released");
        }
    }

    static String found(LockFileStatus lockFileStatus) {
        return switch (lockFileStatus.found()) {
            case NOTHING -> "nothing";
            case FILE ->
                    lockFileStatus.content() == LockFileContent.DEBRIS
                            ? "an unfinished lock file"
                            : "a file that is not a lock file";
            case UNREADABLE_FILE -> "a file that may not be read";
            case FOLDER -> "a folder";
            case LINK -> "a symbolic link";
            case OTHER -> "neither a file nor a folder";
        };
    }

    private static JsonLine json(LockFileStatus lockFileStatus) {
        if (!lockFileStatus.isLocked()) {
            return new JsonLine()
                    .put("locked", false)
                    .put("info", (JsonLine) null)
                    .put("isStale", false)
                    .put("isOwnedByCurrentProcess", false);
        }
        Holder holder = lockFileStatus.holder().orElse(null);
        Long pid = holder == null ? null : holder.pid();
        Long timestamp = holder == null ? null : holder.timestamp();
        String tag = holder == null ? null : holder.tag();
        JsonLine info = new JsonLine().put("pid", pid).put("timestamp", timestamp);
        if (tag != null) {
            info.put("tag", tag);
        }
        return new JsonLine()
                .put("locked", true)
                .put("pid", pid)
                .put("timestamp", timestamp)
                .put("tag", tag)
                .put("info", holder == null ? null : info)
                .put("class", lowerCase(lockFileStatus.content()))
                .put("isStale", lockFileStatus.isStale())
                .put("alive", lowerCase(lockFileStatus.alive()))
                .put("isOwnedByCurrentProcess", lockFileStatus.isOwnedByCurrentProcess());
    }

    private static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private int success(String line, JsonLine object) {
        if (json) {
            out(object.toString());
        } else if (!quiet) {
            out(line);
        }
        return 0;
    }

    int failed(FileCommandFailure fileCommandFailure) {
        if (json) {
            out(fileCommandFailure.json().toString());
        } else if (!quiet || fileCommandFailure.isError()) {
            fileCommandFailure.lines().forEach(this::err);
        }
        return fileCommandFailure.status();
    }

    /** Reports on standard error that standard output could not be written. */
    int outputClosed() {
        FileCommandFailure fileCommandFailure = FileCommandFailure.outputClosed();
        fileCommandFailure.lines().forEach(this::err);
        StandardOutput.setReported();
        return fileCommandFailure.status();
    }

    /** Prints an error that does not change the exit status, even with {@code --quiet}. */
    void alarm(String line) {
        err(line);
    }

    void warning(String text) {
        if (!quiet) {
            err("Warning: " + text);
        }
    }

    void info(String text) {
        if (verbose) {
            err("[INFO] " + text);
        }
    }

    private void out(String line) {
        Printer.out(line);
    }

    private void err(String line) {
        Printer.err(line);
    }
}
