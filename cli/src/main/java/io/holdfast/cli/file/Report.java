package io.holdfast.cli.file;

import io.holdfast.cli.output.JsonLine;
import io.holdfast.cli.output.Printer;
import io.holdfast.cli.output.StandardOutput;
import io.holdfast.lockfile.Content;
import io.holdfast.lockfile.Guard;
import io.holdfast.lockfile.Holder;
import io.holdfast.lockfile.Status;

import java.util.Locale;

/** Tells the outcome of a verb, as text or JSON. */
final class Report {
    private final String path;
    private final boolean json;
    private final boolean quiet;
    private final boolean verbose;

    /**
     * @param path as the user typed it
     */
    Report(String path, boolean json, boolean quiet, boolean verbose) {
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

    /** Whether the answer that only JSON gives, the nonce, could not be written. */
    boolean isUnheard() {
        return json && Printer.isUnheard();
    }

    int released() {
        return success("Lock released: " + path, new JsonLine().put("status", "released"));
    }

    int cleaned(boolean anything) {
        return success(
                (anything ? "Cleaned: " : "Nothing to clean: ") + path,
                new JsonLine().put("cleaned", anything));
    }

    /** Nobody, or nobody who counts, has the lock that was waited for. */
    int free(Status status) {
        return success(
                (status.isLocked() ? "Lock is stale: " : "Lock is free: ") + path, json(status));
    }

    int status(Status status) {
        if (json) {
            out(json(status).toString());
        } else {
            out("Lock status: " + (status.isLocked() ? "LOCKED" : "FREE"));
            out("  Path: " + path);
            if (status.isLocked()) {
                details(status);
            }
        }
        return status.isLocked() ? 1 : 0;
    }

    private void details(Status status) {
        status.holder()
                .ifPresentOrElse(
                        holder -> {
                            out("  PID: " + holder.pid());
                            out("  Timestamp: " + holder.timestamp());
                            if (holder.tag() != null) {
                                out("  Tag: " + Printer.printable(holder.tag()));
                            }
                            out("  Process running: " + word(status.alive()));
                        },
                        () -> out("  Found: " + found(status)));
        if (status.isStale()) {
            out("  Stale: yes");
        }
        if (status.isInFuture()) {
            out("  Note: dated in the future, held until then unless released");
        }
    }

    static String found(Status status) {
        return switch (status.found()) {
            case NOTHING -> "nothing";
            case FILE ->
                    status.content() == Content.DEBRIS
                            ? "an unfinished lock file"
                            : "a file that is not a lock file";
            case UNREADABLE_FILE -> "a file that may not be read";
            case FOLDER -> "a folder";
            case LINK -> "a symbolic link";
            case OTHER -> "neither a file nor a folder";
        };
    }

    private static JsonLine json(Status status) {
        if (!status.isLocked()) {
            return new JsonLine()
                    .put("locked", false)
                    .put("info", (JsonLine) null)
                    .put("isStale", false)
                    .put("isOwnedByCurrentProcess", false);
        }
        Holder holder = status.holder().orElse(null);
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
                .put("class", word(status.content()))
                .put("isStale", status.isStale())
                .put("alive", word(status.alive()))
                .put("isOwnedByCurrentProcess", status.isOwnedByCurrentProcess());
    }

    private static String word(Enum<?> value) {
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

    int failed(Failure failure) {
        if (json) {
            out(failure.json().toString());
        } else if (!quiet || failure.isError()) {
            failure.lines().forEach(this::err);
        }
        return failure.status();
    }

    /** The answer could not be written; nor could another. */
    int unheard() {
        Failure failure = Failure.unheard();
        failure.lines().forEach(this::err);
        StandardOutput.setReported();
        return failure.status();
    }

    /** What must be known even if everything went on. */
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
