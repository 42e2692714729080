package io.holdfast.verification.soak;

import io.holdfast.driver.FailureText;
import io.holdfast.lockfile.FileSemaphore;
import io.holdfast.lockfile.Guard;
import io.holdfast.lockfile.LockFileConfig;
import io.holdfast.lockfile.LockFileTimeoutException;
import io.holdfast.lockfile.LockLostException;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that executes the commands on its standard input, one per line, on a lock file, and
 * prints the results to standard output:
 *
 * <ul>
 *   <li>{@code try MICROS}: tries to acquire at that time of the wall clock; prints {@code won
 *       NONCE} or {@code refused}
 *   <li>{@code clean MICROS}: removes a stale lock at that time; prints {@code cleaned true} or
 *       {@code cleaned false}
 *   <li>{@code acquire MILLIS}: acquires with that timeout; prints {@code waiting}, then {@code won
 *       NONCE MICROS} or {@code timeout}
 *   <li>{@code release}: releases; prints {@code released MICROS}, the time just before, unless the
 *       lock was lost
 *   <li>{@code close}: closes the guard; prints nothing
 *   <li>{@code lost} is printed once per lock, when the library reports the loss
 *   <li>{@code failed ...} is printed for a fault
 * </ul>
 */
final class ScriptedLockFileProcess {
    private final FileSemaphore semaphore;
    private final AtomicBoolean lost = new AtomicBoolean();
    private @Nullable Guard guard;

    private ScriptedLockFileProcess(Path lock, Duration staleTimeout) {
        semaphore =
                FileSemaphore.at(
                        lock,
                        LockFileConfig.builder()
                                .staleTimeout(staleTimeout)
                                .onLost(_ -> lost())
                                .onWarning(text -> print("failed warning: " + text))
                                .build());
    }

    /** Arguments: the lock file and the stale timeout in ms. */
    public static void main(String[] arguments) {
        int status = 0;
        try (var in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            var process =
                    new ScriptedLockFileProcess(
                            Path.of(arguments[0]), Duration.ofMillis(Long.parseLong(arguments[1])));
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                process.execute(line.split(" ", -1));
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            print("failed " + FailureText.of(e));
            status = 1;
        }
        System.exit(status);
    }

    private void execute(String[] fields) throws InterruptedException {
        switch (fields[0]) {
            case "try" -> {
                await(Long.parseLong(fields[1]));
                var taken = semaphore.tryAcquire();
                lost.set(false);
                guard = taken.orElse(null);
                print(taken.map(it -> "won " + it.nonce()).orElse("refused"));
            }
            case "clean" -> {
                await(Long.parseLong(fields[1]));
                print("cleaned " + semaphore.clean());
            }
            case "acquire" -> acquire(Duration.ofMillis(Long.parseLong(fields[1])));
            case "release" -> release(Objects.requireNonNull(guard));
            case "close" -> Objects.requireNonNull(guard).close();
            default -> print("failed to understand " + fields[0]);
        }
    }

    private void acquire(Duration timeout) throws InterruptedException {
        print("waiting");
        try {
            guard = semaphore.acquire(timeout);
            lost.set(false);
            print("won " + guard.nonce() + " " + PrimaryElectionWorker.nowMicros());
        } catch (LockFileTimeoutException e) {
            print("timeout");
        }
    }

    private void release(Guard guard) {
        long micros = PrimaryElectionWorker.nowMicros();
        try {
            guard.release();
            print("released " + micros);
        } catch (LockLostException e) {
            lost();
        }
    }

    /** The loss may be reported at a heartbeat, and again at the release. */
    private void lost() {
        if (!lost.getAndSet(true)) {
            print("lost");
        }
    }

    private static void await(long micros) {
        for (long left = micros - PrimaryElectionWorker.nowMicros();
                left > 0;
                left = micros - PrimaryElectionWorker.nowMicros()) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(left));
        }
    }

    private static synchronized void print(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
