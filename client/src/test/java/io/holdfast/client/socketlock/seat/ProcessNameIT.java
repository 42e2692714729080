package io.holdfast.client.socketlock.seat;

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

@DisplayName("The name of a process")
class ProcessNameIT {
    @BeforeEach
    void needsProc() {
        assumeTrue(Files.exists(Path.of("/proc/self/stat")), "no list of processes here");
    }

    private static String[] ownParts() {
        return ProcessName.own().toString().split(":", -1);
    }

    private static ProcessName with(int part, String value) {
        String[] parts = ownParts();
        parts[part] = value;
        return ProcessName.parse(String.join(":", parts));
    }

    @Test
    void tells_that_this_process_is_here() {
        ProcessName own = ProcessName.own();

        assertThat(own.isKnown()).isTrue();
        assertThat(own.isGone()).isFalse();
        assertThat(ProcessName.of(ProcessHandle.current().pid())).isEqualTo(own);
        assertThat(ProcessName.parse(own.toString())).isEqualTo(own).hasSameHashCodeAs(own);
        assertThat(own.toString()).hasSizeLessThanOrEqualTo(HoldRecord.MOST_PROCESS_CHARS);
        assertThat(own.toString()).doesNotContain(" ");
    }

    @Test
    void tells_when_a_child_is_gone() throws Exception {
        Process child = new ProcessBuilder("sleep", "60").start();
        ProcessName name = ProcessName.of(child.pid());
        assertThat(name.isKnown()).isTrue();
        assertThat(name.isGone()).isFalse();
        assertThat(name).isNotEqualTo(ProcessName.own());
        child.destroyForcibly().waitFor();

        await().until(name::isGone);
        assertThat(ProcessName.of(child.pid())).isEqualTo(ProcessName.UNKNOWN);
    }

    @Test
    void tells_that_one_is_gone_whose_parent_has_not_noticed() throws Exception {
        Process parent =
                new ProcessBuilder("sh", "-c", "sleep 60 & echo $!; exec sleep 60").start();
        try {
            long pid = Long.parseLong(firstLine(parent));
            ProcessName name = ProcessName.of(pid);
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
    void does_not_take_the_next_process_of_a_number_for_the_one_before() {
        assertThat(with(3, "1").isGone()).isTrue();
    }

    @Test
    void knows_nothing_of_a_process_of_another_container() {
        assertThat(with(1, "1").isKnown()).isTrue();
        assertThat(with(1, "1").isGone()).isFalse();
    }

    @Test
    void knows_that_all_of_another_boot_are_gone() {
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
    void is_unknown_if_it_is_none(String text) {
        ProcessName name = ProcessName.parse(text);

        assertThat(name).isEqualTo(ProcessName.UNKNOWN);
        assertThat(name.isKnown()).isFalse();
        assertThat(name.isGone()).isFalse();
    }

    @Test
    void is_unknown_if_it_is_longer_than_a_record_has_room_for() {
        assertThat(ProcessName.parse("b".repeat(91) + ":1:2:3").isKnown()).isFalse();
        assertThat(ProcessName.of(0)).isEqualTo(ProcessName.UNKNOWN);
        assertThat(ProcessName.of(-1)).isEqualTo(ProcessName.UNKNOWN);
        assertThat(ProcessName.of(Integer.MAX_VALUE)).isEqualTo(ProcessName.UNKNOWN);
    }
}
