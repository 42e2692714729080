package io.holdfast.verification.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

@DisplayName("A process that acquires a lock file six times")
@Timeout(120)
class LockFileTurnsIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @Test
    void six_turns_leave_at_most_the_sidecar_file_behind(@TempDir Path folder) throws Exception {
        try (var processes = new LockFileProcesses(folder, new Random(1))) {
            var process = processes.startControlled(Duration.ofHours(1));
            for (int turn = 0; turn < 6; turn++) {
                process.send("try 0");
                processes.expect(process, "won ", TIMEOUT);
                process.send("release");
                processes.expect(process, "released ", TIMEOUT);
            }
            processes.end();
        }
        assertThat(folder.toFile().listFiles())
                .extracting(File::getName)
                .isSubsetOf(LockFileProcesses.COUNTER, LockFileProcesses.LOCK + ".guard");
    }
}
