package io.holdfast.cli.soak;

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
 * A process that does with a lock file what it is told, a line on standard input each, and says on
 * standard output what came of it:
 *
 * <ul>
 *   <li>{@code try MICROS}: at that time by the wall clock; {@code won NONCE} or {@code refused}
 *   <li>{@code clean MICROS}: at that time; {@code cleaned true} or {@code cleaned false}
 *   <li>{@code acquire MILLIS}: {@code waiting}, then {@code won NONCE MICROS} or {@code timeout}
 *   <li>{@code release}: {@code released MICROS}, the time just before, unless it was lost
 *   <li>{@code close}: nothing
 *   <li>{@code lost}: once for a lock, when the library says so
 *   <li>{@code failed ...}: what must not happen
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
                                .onWarning(text -> say("failed warning: " + text))
                                .build());
    }

    /** Takes the lock file and the stale timeout in ms. */
    public static void main(String[] arguments) {
        int status = 0;
        try (var in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            var puppet =
                    new ScriptedLockFileProcess(
                            Path.of(arguments[0]), Duration.ofMillis(Long.parseLong(arguments[1])));
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                puppet.execute(line.split(" ", -1));
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            say("failed " + FailureText.of(e));
            status = 1;
        }
        System.exit(status);
    }

    private void execute(String[] words) throws InterruptedException {
        switch (words[0]) {
            case "try" -> {
                await(Long.parseLong(words[1]));
                var taken = semaphore.tryAcquire();
                lost.set(false);
                guard = taken.orElse(null);
                say(taken.map(it -> "won " + it.nonce()).orElse("refused"));
            }
            case "clean" -> {
                await(Long.parseLong(words[1]));
                say("cleaned " + semaphore.clean());
            }
            case "acquire" -> acquire(Duration.ofMillis(Long.parseLong(words[1])));
            case "release" -> release(Objects.requireNonNull(guard));
            case "close" -> Objects.requireNonNull(guard).close();
            default -> say("failed to understand " + words[0]);
        }
    }

    private void acquire(Duration timeout) throws InterruptedException {
        say("waiting");
        try {
            guard = semaphore.acquire(timeout);
            lost.set(false);
            say("won " + guard.nonce() + " " + ElectionWorker.nowMicros());
        } catch (LockFileTimeoutException e) {
            say("timeout");
        }
    }

    private void release(Guard guard) {
        long micros = ElectionWorker.nowMicros();
        try {
            guard.release();
            say("released " + micros);
        } catch (LockLostException e) {
            lost();
        }
    }

    /** It may be heard of at a beat, and then again at the release. */
    private void lost() {
        if (!lost.getAndSet(true)) {
            say("lost");
        }
    }

    private static void await(long micros) {
        for (long left = micros - ElectionWorker.nowMicros();
                left > 0;
                left = micros - ElectionWorker.nowMicros()) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(left));
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
