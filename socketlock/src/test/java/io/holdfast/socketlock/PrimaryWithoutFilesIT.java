package io.holdfast.socketlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

@DisplayName("An embedded primary that is out of file descriptors")
@Timeout(120)
class PrimaryWithoutFilesIT { // H21
    private static final int FILES = 80;

    /** Each takes at least 50 ms: in one second a busy loop would use a second of CPU time. */
    private static final int ROUNDS = 20;

    @TempDir private Path folder;

    /** Serves the path of its argument until its input ends. */
    static final class Main {
        private Main() {}

        public static void main(String[] args) throws IOException {
            try (var server = SocketLockServer.start(Path.of(args[0]), LockConfig.defaults())) {
                System.out.println(server);
                while (System.in.read() >= 0) {
                    // input is ignored
                }
            }
        }
    }

    @Test
    void connected_clients_are_served_without_a_busy_loop_and_others_later() throws Exception {
        assumeTrue(Files.exists(Path.of("/bin/sh")));
        Path socket = folder.resolve("lock.sock");
        Process server = start(socket);
        List<ScriptedLineClient> peers = new ArrayList<>();
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(socket));
            var first = ScriptedLineClient.named(socket, "first");
            peers.add(first);
            requestAndRelease(first, 0); // loads the classes, for which a file may be opened
            for (int i = 0; i < FILES; i++) {
                peers.add(new ScriptedLineClient(socket));
            }
            var last = new ScriptedLineClient(socket);
            last.send("last HELLO");
            last.expectSilence(Duration.ofMillis(300));

            Duration before = cpu(server);
            for (int round = 1; round <= ROUNDS; round++) {
                requestAndRelease(first, round);
                first.expectSilence(Duration.ofMillis(50));
            }
            assertThat(cpu(server).minus(before)).isLessThan(Duration.ofMillis(600));

            for (ScriptedLineClient peer : peers.subList(1, peers.size())) {
                peer.close();
            }
            assertThat(last.line()).isEqualTo("last CONNECTED");
            last.close();
        } finally {
            for (ScriptedLineClient peer : peers) {
                peer.close();
            }
            server.destroyForcibly().waitFor();
        }
    }

    private static void requestAndRelease(ScriptedLineClient client, int round) throws IOException {
        client.send("first REQWRITE l" + round, "first RELEASE l" + round);
        assertThat(client.line()).isEqualTo("first WRITELOCK l" + round);
    }

    private static Duration cpu(Process process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private static Process start(Path socket) throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        "ulimit -n " + FILES + " && exec \"$@\"",
                        "sh",
                        java,
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        socket.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
