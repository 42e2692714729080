package io.holdfast.cli.file;

import io.holdfast.console.output.JsonLine;
import io.holdfast.driver.FailureText;
import io.holdfast.lockfile.CredentialMismatchException;
import io.holdfast.lockfile.DamagedLockException;
import io.holdfast.lockfile.HeldException;
import io.holdfast.lockfile.Holder;
import io.holdfast.lockfile.LockFileContent;
import io.holdfast.lockfile.LockFileException;
import io.holdfast.lockfile.LockFileIoException;
import io.holdfast.lockfile.LockFileStatus;
import io.holdfast.lockfile.LockFileTimeoutException;
import io.holdfast.lockfile.LockLostException;
import io.holdfast.lockfile.LockPathException;
import io.holdfast.lockfile.NotPermittedException;

import java.time.Duration;
import java.util.List;

/**
 * The output and the exit status of a command that failed.
 *
 * @param type the failure type in the JSON output
 * @param status the exit status
 * @param lines the text output
 * @param json the JSON output
 */
record FileCommandFailure(Type type, int status, List<String> lines, JsonLine json) {
    enum Type {
        ALREADY_LOCKED,
        TIMEOUT,
        PERMISSION_DENIED,
        LOST,
        INVALID_PATH,
        PARSE_ERROR,
        IO_ERROR
    }

    private static final int REFUSED = 1;
    private static final int ERROR = 3;

    /** Whether this is an error, which is printed even with {@code --quiet}. */
    boolean isError() {
        return status == ERROR;
    }

    static FileCommandFailure of(LockFileException e) {
        return switch (e) {
            case HeldException held -> held(held.status());
            case LockFileTimeoutException late ->
                    timeout("Timeout waiting for lock", late.timeout());
            case CredentialMismatchException other -> notOwner(other.status());
            case LockLostException lost -> refused(Type.LOST, message(lost));
            case LockPathException path -> badPath(message(path));
            case DamagedLockException damaged -> damaged(damaged);
            case NotPermittedException denied -> ioError(message(denied));
            case LockFileIoException io -> ioError(message(io));
            default -> ioError(message(e));
        };
    }

    static FileCommandFailure badPath(String message) {
        return error(Type.INVALID_PATH, "Invalid path: ", message);
    }

    /** The nonce of an acquired lock could not be written to standard output. */
    static FileCommandFailure outputClosed() {
        return ioError("cannot write to standard output, the lock was released again");
    }

    /** Any other exception. */
    static FileCommandFailure unexpected(Throwable e) {
        return ioError(FailureText.of(e));
    }

    /** The lock was not released within the timeout of {@code wait}. */
    static FileCommandFailure waitTimeout(Duration timeout) {
        return timeout("Timeout waiting for lock to be released", timeout);
    }

    private static FileCommandFailure held(LockFileStatus lockFileStatus) {
        Long pid = lockFileStatus.holder().map(Holder::pid).orElse(null);
        Long since = lockFileStatus.holder().map(Holder::timestamp).orElse(null);
        String message = "Lock already held";
        return new FileCommandFailure(
                Type.ALREADY_LOCKED,
                REFUSED,
                heldLines(message, lockFileStatus),
                json(Type.ALREADY_LOCKED, message)
                        .put("locked", true)
                        .put("pid", pid)
                        .put("since", since)
                        .put("holderPid", pid)
                        .put("lockedSince", since));
    }

    private static List<String> heldLines(String message, LockFileStatus lockFileStatus) {
        if (lockFileStatus.holder().isPresent()) {
            return List.of(message, "  Holder PID: " + lockFileStatus.holder().get().pid());
        }
        return lockFileStatus.isLocked() && lockFileStatus.content() == LockFileContent.FOREIGN
                ? List.of(message, "  Found: " + FileCommandReport.found(lockFileStatus))
                : List.of(message);
    }

    private static FileCommandFailure timeout(String line, Duration timeout) {
        String message = "Timeout waiting for lock after " + timeout.toMillis() + "ms";
        return new FileCommandFailure(
                Type.TIMEOUT, REFUSED, List.of(line), json(Type.TIMEOUT, message));
    }

    private static FileCommandFailure notOwner(LockFileStatus lockFileStatus) {
        Long pid = lockFileStatus.holder().map(Holder::pid).orElse(null);
        String message =
                "Lock held by different process" + (pid == null ? "" : " (PID " + pid + ")");
        return new FileCommandFailure(
                Type.PERMISSION_DENIED,
                REFUSED,
                List.of(message),
                json(Type.PERMISSION_DENIED, message).put("holderPid", pid));
    }

    private static FileCommandFailure damaged(DamagedLockException e) {
        return switch (e.status().found()) {
            case FOLDER, OTHER -> ioError(message(e));
            case NOTHING, FILE, UNREADABLE_FILE, LINK ->
                    error(Type.PARSE_ERROR, "Parse error: ", message(e));
        };
    }

    private static FileCommandFailure ioError(String message) {
        return error(Type.IO_ERROR, "IO error: ", message);
    }

    private static FileCommandFailure refused(Type type, String message) {
        return new FileCommandFailure(type, REFUSED, List.of(message), json(type, message));
    }

    private static FileCommandFailure error(Type type, String kind, String message) {
        return new FileCommandFailure(
                type, ERROR, List.of("Error: " + kind + message), json(type, message));
    }

    private static JsonLine json(Type type, String message) {
        return new JsonLine()
                .put("status", "failed")
                .put("type", type.name())
                .put("message", message);
    }

    private static String message(Exception e) {
        return String.valueOf(e.getMessage());
    }
}
