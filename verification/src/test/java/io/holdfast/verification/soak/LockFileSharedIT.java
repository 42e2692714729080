package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lockfile.FileSemaphore;
import io.holdfast.lockfile.LockFileConfig;
import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

@DisplayName("A lock file shared with a Python program")
@Timeout(120)
@NeedsProgram(OutsideProgram.PYTHON3)
class LockFileSharedIT {
    /** Reads a lock file as in the published protocol. */
    private static final String READER =
            """
            import sys
            info = {}
            with open(sys.argv[1]) as file:
                for line in file:
                    if '=' in line:
                        key, value = line.strip().split('=', 1)
                        info[key] = value
            print(info['pid'], info['timestamp'], info['tag'])
            """;

    /** Acquires the lock if it is free, and holds it until its standard input ends. */
    private static final String TAKER =
            """
            import os, sys, time
            try:
                file = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            except FileExistsError:
                print('held', flush=True)
                sys.exit(1)
            os.write(file, b'pid=%d\\ntimestamp=%d\\ntag=snake\\n' % (os.getpid(), time.time()))
            os.fsync(file)
            os.close(file)
            print('taken', flush=True)
            sys.stdin.read()
            os.unlink(sys.argv[1])
            print('released', flush=True)
            """;

    @TempDir private Path folder;

    private Path lock() {
        return folder.resolve("the.lock");
    }

    private Process python(String program) throws IOException {
        return new ProcessBuilder("python3", "-c", program, lock().toString())
                .redirectErrorStream(true)
                .start();
    }

    private static List<String> all(Process process) throws IOException {
        try (BufferedReader out = process.inputReader()) {
            return out.lines().toList();
        }
    }

    @Test
    void a_lock_file_written_by_holdfast_is_read_by_python() throws IOException {
        var semaphore =
                FileSemaphore.at(lock(), LockFileConfig.builder().tag("a = b, caf\u00e9").build());
        try (var guard = semaphore.acquireNow()) {
            assertThat(all(python(READER)))
                    .containsExactly(
                            ProcessHandle.current().pid()
                                    + " "
                                    + guard.acquired().getEpochSecond()
                                    + " a = b, caf\u00e9");
        }
    }

    @Test
    void a_lock_held_by_holdfast_excludes_python() throws IOException {
        try (var _ = FileSemaphore.at(lock()).acquireNow()) {
            var before = Files.readAllBytes(lock());
            assertThat(all(python(TAKER))).containsExactly("held");
            assertThat(lock()).hasBinaryContent(before);
        }
    }

    @Test
    void a_lock_held_by_python_excludes_holdfast() throws Exception {
        var semaphore = FileSemaphore.at(lock());
        var python = python(TAKER);
        try (BufferedReader out = python.inputReader()) {
            assertThat(out.readLine()).isEqualTo("taken");
            assertThat(semaphore.tryAcquire()).isEmpty();
            var holder = semaphore.status().holder().orElseThrow();
            assertThat(holder.pid()).isEqualTo(python.pid());
            assertThat(holder.tag()).isEqualTo("snake");
            python.outputWriter().close();
            assertThat(out.readLine()).isEqualTo("released");
            try (var guard = semaphore.acquireNow()) {
                assertThat(guard.isStillOwner()).isTrue();
            }
            assertThat(lock()).doesNotExist();
        } finally {
            python.destroyForcibly();
        }
    }
}
