package io.holdfast.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.cli.HoldfastJvm;
import io.holdfast.testsupport.ProcessSignals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code holdfast} in a JVM of its own, on a terminal created by {@code script}. The settings of
 * the terminal are printed before and after.
 */
public final class Pty implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Pattern NAME = Pattern.compile("tty=(\\S+) ");
    private static final Pattern PID = Pattern.compile("pid=(\\d+) ");
    private static final Pattern SETTINGS = Pattern.compile("settings=(\\S+) ");
    private static final Pattern STATUS = Pattern.compile("status=(\\d+) ");

    private final Process process;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    private Pty(Process process) {
        this.process = process;
        Thread.ofVirtual().start(this::collect);
    }

    static Pty start(String... args) throws IOException {
        return start(Map.of(), args);
    }

    public static Pty start(Map<String, String> environment, String... args) throws IOException {
        List<String> command = HoldfastJvm.command(128, List.of(args));
        String line =
                command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        // exec keeps the printed process id; the outer shell survives the terminal's SIGINT
        String shell =
                "trap : INT; stty rows 24 cols 100; printf 'tty=%s ' \"$(tty)\";"
                        + " printf 'settings=%s ' \"$(stty -g)\";"
                        + " sh -c 'printf \"pid=%s \" $$; exec \"$@\"' sh "
                        + line
                        + "; printf 'status=%s ' $?; printf 'settings=%s ' \"$(stty -g)\"";
        ProcessBuilder builder =
                new ProcessBuilder(
                                ProcessSignals.withDefaultSignals(
                                        List.of("script", "-qfc", shell, "/dev/null")))
                        .redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
        builder.environment().put("SHELL", "/bin/sh");
        builder.environment().put("TERM", "xterm");
        builder.environment().putAll(environment);
        return new Pty(builder.start());
    }

    private void collect() {
        byte[] buffer = new byte[8192];
        try (InputStream in = process.getInputStream()) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                written.write(buffer, 0, n);
            }
        } catch (IOException e) {
            written.writeBytes(("unreadable: " + e).getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    /** Returns all output so far. */
    public String written() {
        return written.toString(StandardCharsets.ISO_8859_1);
    }

    /** Waits until a text was written. */
    public void awaitWritten(String text) {
        await(text)
                .atMost(TIMEOUT)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> written().contains(text) || STATUS.matcher(written()).find());
        assertThat(written()).contains(text);
    }

    /** Returns the lines of the last complete screen. */
    List<String> screen() {
        String all = written();
        int end = all.lastIndexOf("\u001b[J");
        int begin = end < 0 ? -1 : all.lastIndexOf("\u001b[H", end);
        if (begin < 0) {
            return List.of();
        }
        String frame = all.substring(begin + "\u001b[H".length(), end);
        return Stream.of(frame.replace("\r", "").split("\n", -1))
                .map(line -> line.replaceAll("\u001b\\[[0-9;]*[a-zA-Z]", ""))
                .map(
                        line ->
                                new String(
                                        line.getBytes(StandardCharsets.ISO_8859_1),
                                        StandardCharsets.UTF_8))
                .toList();
    }

    void awaitScreen(String text) {
        awaitScreen(lines -> lines.stream().anyMatch(line -> line.contains(text)), text);
    }

    void awaitScreen(Predicate<List<String>> condition, String what) {
        await(what)
                .atMost(TIMEOUT)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> condition.test(screen()) || STATUS.matcher(written()).find());
        assertThat(condition.test(screen())).as("%s in %s", what, screen()).isTrue();
    }

    void type(String keys) throws IOException {
        OutputStream out = process.getOutputStream();
        out.write(keys.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    void resize(int rows, int columns) throws IOException, InterruptedException {
        run("stty", "-F", found(NAME), "rows", "" + rows, "cols", "" + columns);
    }

    void signal(String name) throws IOException, InterruptedException {
        ProcessSignals.send(name, Long.parseLong(found(PID)));
    }

    /** Stops reading the output of the terminal. */
    void stopReading() throws IOException, InterruptedException {
        ProcessSignals.send("STOP", process.pid());
    }

    void readAgain() throws IOException, InterruptedException {
        ProcessSignals.send("CONT", process.pid());
    }

    void awaitEnd() {
        long pid = Long.parseLong(found(PID));
        await().atMost(TIMEOUT)
                .until(() -> !ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
    }

    private static void run(String... command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    private String found(Pattern pattern) {
        Matcher matcher = pattern.matcher(written());
        assertThat(matcher.find()).as("%s in %s", pattern, written()).isTrue();
        return matcher.group(1);
    }

    /** Waits for the end of the command. */
    public int status() {
        await().atMost(TIMEOUT)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> SETTINGS.matcher(written()).results().count() == 2);
        return Integer.parseInt(found(STATUS));
    }

    /** Asserts that the settings, the screen and the cursor of the terminal are restored. */
    void assertClean() {
        assertSettings();
        assertThat(written()).containsOnlyOnce("\u001b[?1049h").containsOnlyOnce("\u001b[?25l");
        assertThat(written().substring(written().lastIndexOf("\u001b[J")))
                .containsOnlyOnce("\u001b[?25h\u001b[?1049l")
                .matches("(?s)\u001b\\[J\u001b\\[\\?25h\u001b\\[\\?1049l\\s*status=.*");
    }

    /** Asserts that the settings of the terminal are restored. */
    void assertSettings() {
        List<String> settings =
                SETTINGS.matcher(written()).results().map(found -> found.group(1)).toList();
        assertThat(settings).hasSize(2);
        assertThat(settings.getLast()).isEqualTo(settings.getFirst());
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
