package io.holdfast.socketlock.internal.primary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

@DisplayName("The identity of a process")
class ProcessIdentityIT {
    @BeforeEach
    void needsProc() {
        assumeTrue(Files.exists(Path.of("/proc/self/stat")), "no list of processes here");
    }

    private static String[] ownParts() {
        return ProcessIdentity.own().toString().split(":", -1);
    }

    private static ProcessIdentity with(int part, String value) {
        String[] parts = ownParts();
        parts[part] = value;
        return ProcessIdentity.parse(String.join(":", parts));
    }

    @Test
    void this_process_is_not_gone() {
        ProcessIdentity own = ProcessIdentity.own();

        assertThat(own.isKnown()).isTrue();
        assertThat(own.isGone()).isFalse();
        assertThat(ProcessIdentity.of(ProcessHandle.current().pid())).isEqualTo(own);
        assertThat(ProcessIdentity.parse(own.toString())).isEqualTo(own).hasSameHashCodeAs(own);
        assertThat(own.toString()).hasSizeLessThanOrEqualTo(HoldRecord.MAX_PROCESS_CHARS);
        assertThat(own.toString()).doesNotContain(" ");
    }

    @Test
    void a_child_that_has_ended_is_gone() throws Exception {
        Process child = new ProcessBuilder("sleep", "60").start();
        ProcessIdentity name = ProcessIdentity.of(child.pid());
        assertThat(name.isKnown()).isTrue();
        assertThat(name.isGone()).isFalse();
        assertThat(name).isNotEqualTo(ProcessIdentity.own());
        child.destroyForcibly().waitFor();

        await().until(name::isGone);
        assertThat(ProcessIdentity.of(child.pid())).isEqualTo(ProcessIdentity.UNKNOWN);
    }

    @Test
    void a_zombie_process_is_gone() throws Exception {
        Process parent =
                new ProcessBuilder("sh", "-c", "sleep 60 & echo $!; exec sleep 60").start();
        try {
            long pid = Long.parseLong(firstLine(parent));
            ProcessIdentity name = ProcessIdentity.of(pid);
            assertThat(name.isGone()).isFalse();
            Path program = Path.of("/proc/" + parent.pid() + "/comm");
            await().until(() -> Files.readString(program).strip().equals("sleep"));
            ProcessHandle.of(pid).orElseThrow().destroyForcibly();

            await().until(name::isGone);
            assertThat(Path.of("/proc/" + pid)).exists();
        } finally {
            parent.destroyForcibly();
        }
    }

    private static String firstLine(Process process) throws IOException {
        BufferedReader reader = process.inputReader(StandardCharsets.US_ASCII);
        String line = reader.readLine();
        return line == null ? "" : line.strip();
    }

    @Test
    void a_process_whose_pid_was_reused_is_gone() {
        assertThat(with(3, "1").isGone()).isTrue();
    }

    @Test
    void a_process_of_another_container_is_not_known_to_be_gone() {
        assertThat(with(1, "1").isKnown()).isTrue();
        assertThat(with(1, "1").isGone()).isFalse();
    }

    @Test
    void a_process_of_another_boot_is_gone() {
        assertThat(with(0, "00000000-0000-0000-0000-000000000000").isGone()).isTrue();
        assertThat(with(0, "-").isGone()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                ":::",
                "-:-:0:0",
                "-",
                "boot:1:2",
                "boot:1:2:3:4",
                "boot:1:-2:3",
                "boot:1:2:-3",
                "boot:1:0:3",
                "boot:1:2:0",
                "boot:1:2:x",
                ":1:2:3",
                "boot::2:3",
                "boot:1:99999999999999999999:3"
            })
    void a_malformed_identity_is_unknown(String text) {
        ProcessIdentity name = ProcessIdentity.parse(text);

        assertThat(name).isEqualTo(ProcessIdentity.UNKNOWN);
        assertThat(name.isKnown()).isFalse();
        assertThat(name.isGone()).isFalse();
    }

    @Test
    void an_identity_too_long_for_a_record_is_unknown() {
        assertThat(ProcessIdentity.parse("b".repeat(91) + ":1:2:3").isKnown()).isFalse();
        assertThat(ProcessIdentity.of(0)).isEqualTo(ProcessIdentity.UNKNOWN);
        assertThat(ProcessIdentity.of(-1)).isEqualTo(ProcessIdentity.UNKNOWN);
        assertThat(ProcessIdentity.of(Integer.MAX_VALUE)).isEqualTo(ProcessIdentity.UNKNOWN);
    }
}
