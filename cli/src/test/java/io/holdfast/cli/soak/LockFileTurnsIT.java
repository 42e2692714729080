package io.holdfast.cli.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

@DisplayName("A process that takes a lock file six times")
@Timeout(120)
class LockFileTurnsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void leaves_at_most_the_guard_file_behind(@TempDir Path folder) throws Exception {
        try (var crew = new LockFileProcesses(folder, new Random(1))) {
            var puppet = crew.startPuppet(Duration.ofHours(1));
            for (int turn = 0; turn < 6; turn++) {
                puppet.send("try 0");
                crew.expect(puppet, "won ", PATIENCE);
                puppet.send("release");
                crew.expect(puppet, "released ", PATIENCE);
            }
            crew.end();
        }
        assertThat(folder.toFile().listFiles())
                .extracting(File::getName)
                .isSubsetOf(LockFileProcesses.COUNTER, LockFileProcesses.LOCK + ".guard");
    }
}
