package io.holdfast.cli.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * The real script in a checkout with a fake Maven and a fake Java of version 99, which the script
 * requires: the machine's own Java is too old for it.
 */
@DisplayName("The launcher")
class LauncherIT {
    private static final String MAVEN =
            """
            for word in "$@"; do
                case $word in -Ddist.directory=*) dist=${word#*=} ;; esac
            done
            echo '[INFO] Building Holdfast 0.1.0-SNAPSHOT          [1/3]'
            echo '[INFO] Building Holdfast engine 0.1.0-SNAPSHOT   [2/3]'
            if [ -e broken ]; then
                echo '[ERROR] Engine.java:[7,1] this does not compile'
                exit 1
            fi
            echo '[INFO] Building Holdfast cli 0.1.0-SNAPSHOT      [3/3]'
            mkdir -p "$dist/lib" && : >"$dist/lib/holdfast.jar"
            """;

    private static final String JAVA =
            """
            for word in "$@"; do
                case $word in -XX:AOTCacheOutput=*) : >"${word#*=}"; exit ;; esac
            done
            case " $* " in
            *" io.holdfast.cli.Main serve "*) echo "runs ${0%/bin/java}" ;;
            *) echo "runs ${*##*io.holdfast.cli.Main}" ;;
            esac
            """;

    private static final String DONE = "runs ";

    @TempDir private Path temporary;
    private Path home;

    @BeforeEach
    void check_out() throws IOException {
        home = Files.createDirectory(temporary.toRealPath().resolve("home"));
        String script = Files.readString(Path.of("..", "holdfast"));
        assertThat(script).contains("\nhf_needs=25 ");
        executable(home.resolve("holdfast"), script.replace("\nhf_needs=25 ", "\nhf_needs=99 "));
        executable(home.resolve("mvnw"), "#!/bin/sh\n" + MAVEN);
        Files.createFile(home.resolve("pom.xml"));
    }

    private static void executable(Path file, String content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Path jre(String name) throws IOException {
        Path folder = home.resolveSibling(name);
        executable(folder.resolve("bin/java"), "#!/bin/sh\n" + JAVA);
        Files.writeString(folder.resolve("release"), "JAVA_VERSION=\"99.0.1\"\n");
        return folder;
    }

    private Path jdk() throws IOException {
        Path folder = jre("jdk");
        executable(folder.resolve("bin/javac"), "#!/bin/sh\n");
        return folder;
    }

    private record Ended(int status, String written) {
        List<String> lines() {
            return written.lines().toList();
        }
    }

    private static ProcessBuilder launcher(Path javaHome, String... command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("JAVA_HOME", javaHome.toString());
        builder.environment().put("SHELL", "/bin/sh");
        builder.environment().remove("HOLDFAST_JAVA_OPTS");
        return builder;
    }

    private Ended run(Path javaHome, String... command) throws IOException, InterruptedException {
        Process process = launcher(javaHome, command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String written =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), written);
    }

    private Ended launch(Path javaHome) throws IOException, InterruptedException {
        return run(javaHome, home.resolve("holdfast").toString(), "serve");
    }

    @Test
    void the_first_build_reports_each_phase_on_one_line() throws Exception {
        Path jdk = jdk();
        assertThat(launch(jdk).lines())
                .containsExactly(
                        "building Holdfast (first use): starting Maven ...",
                        "building Holdfast (first use): compiling 3 modules ...",
                        "building Holdfast (first use): training the start-up cache ...",
                        DONE + jdk);
        assertThat(launch(jdk)).isEqualTo(new Ended(0, DONE + jdk + "\n"));
    }

    @Test
    @NeedsProgram(OutsideProgram.SCRIPT)
    void a_terminal_shows_the_module_being_built() throws Exception {
        Path jdk = jdk();
        Ended ended = run(jdk, "script", "-qec", home.resolve("holdfast") + " serve", "/dev/null");
        assertThat(ended.written())
                .contains("\r\u001b[Kbuilding Holdfast (first use): module 1 of 3, Holdfast\r")
                .contains("\r\u001b[Kbuilding Holdfast (first use): module 3 of 3, Holdfast cli\r")
                .endsWith("\r\u001b[K" + DONE + jdk + "\r\n");
    }

    @Test
    void the_build_continues_if_its_output_is_not_read() throws Exception {
        Path jdk = jdk();
        Process process = launcher(jdk, home.resolve("holdfast").toString(), "serve").start();
        process.getErrorStream().close();
        process.getInputStream().close();
        process.waitFor();
        assertThat(launch(jdk).lines()).containsExactly(DONE + jdk);
    }

    @Test
    void a_failed_build_shows_the_reason_and_leaves_no_partial_result() throws Exception {
        Files.createFile(home.resolve("broken"));
        Ended ended = launch(jdk());
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.lines())
                .contains("[ERROR] Engine.java:[7,1] this does not compile")
                .last()
                .asString()
                .startsWith("holdfast: the build failed; its whole output is in " + home);
        Files.delete(home.resolve("broken"));
        assertThat(launch(jdk()).lines()).last().asString().startsWith(DONE);
    }

    @Test
    void a_jre_is_enough_to_run_a_finished_build() throws Exception {
        assertThat(launch(jdk()).status()).isZero();
        Path jre = jre("jre");
        assertThat(launch(jre)).isEqualTo(new Ended(0, DONE + jre + "\n"));
    }

    @Test
    void a_build_with_a_jre_fails_with_an_explanation() throws Exception {
        Path jre = jre("jre");
        Ended ended = launch(jre);
        assertThat(ended.status()).isEqualTo(1);
        assertThat(ended.lines())
                .containsExactly(
                        "holdfast: needs a JDK 99 or newer to build itself, and "
                                + jre
                                + " is a JRE: install a JDK, or point JAVA_HOME at one.");
    }

    @Test
    void without_java_the_required_version_is_printed() throws Exception {
        Path nothing = Files.createDirectory(home.resolveSibling("nothing"));
        assertThat(launch(nothing).lines())
                .containsExactly(
                        "holdfast: needs a JDK 99 or newer: install one, or point JAVA_HOME at"
                                + " it.");
        assertThat(launch(jdk()).status()).isZero();
        assertThat(launch(nothing).lines())
                .containsExactly(
                        "holdfast: needs Java 99 or newer: install a JRE or a JDK, or point"
                                + " JAVA_HOME at one.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"dflockd", "lockd", "socketlockd"})
    void a_link_to_the_launcher_runs_the_command_of_its_name(String name) throws Exception {
        Path jdk = jdk();
        assertThat(launch(jdk).status()).isZero();
        Path bin = Files.createDirectory(home.resolveSibling("bin"));
        Path alternative =
                Files.createSymbolicLink(bin.resolve("another"), Path.of("../home/holdfast"));
        Path link = Files.createSymbolicLink(bin.resolve(name), alternative.getFileName());
        assertThat(run(jdk, link.toString(), "--port", "1 2"))
                .isEqualTo(new Ended(0, "runs  " + name + " --port 1 2\n"));
        assertThat(run(jdk, alternative.toString(), "version"))
                .isEqualTo(new Ended(0, "runs  version\n"));
    }

    @Test
    void another_java_trains_the_start_up_cache_again() throws Exception {
        assertThat(launch(jdk()).status()).isZero();
        Path newer = jre("newer");
        Files.writeString(newer.resolve("release"), "JAVA_VERSION=\"100\"\n");
        assertThat(launch(newer).lines())
                .containsExactly(
                        "preparing Holdfast for Java 100: training the start-up cache ...",
                        DONE + newer);
    }
}
