package io.holdfast.verification.soak;

import io.holdfast.driver.FailureText;
import io.holdfast.verification.soak.LockFileProcess.Role;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The processes that share one lock file. They exit when their standard input ends, so none is left
 * when this process ends.
 */
final class LockFileProcesses implements AutoCloseable {
    static final String LOCK = "the.lock";
    static final String LOG = "log";
    static final String COUNTER = "counter";

    /**
     * The format of the number in the counter file, padded with blanks because a shell takes a
     * leading zero for octal.
     */
    static final String NUMBER = "%20d\n";

    private static final long END_SECONDS = 20;

    /** In one of this many turns on average, a script holds the lock for longer. */
    private static final int ONE_OF_SLOW = 5;

    private static final int MAX_MILLIS = 150;

    private final Path folder;
    private final Random random;
    private final Map<String, LockFileProcess> members = new LinkedHashMap<>();
    private final Set<String> killed = ConcurrentHashMap.newKeySet();
    private final Set<Long> killedPids = new HashSet<>();
    private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();
    private final Map<String, Thread> readers = new HashMap<>();
    private int lastName;

    /** Creates the counter file in the folder, with the value zero. */
    LockFileProcesses(Path folder, Random random) throws IOException {
        this.folder = folder;
        this.random = random;
        Files.writeString(folder.resolve(COUNTER), String.format(Locale.ROOT, NUMBER, 0));
    }

    Path lock() {
        return folder.resolve(LOCK);
    }

    Path log() {
        return folder.resolve(LOG);
    }

    /** Starts a {@link LockFileWorker}. */
    LockFileProcess startOurs(LockFileWorker.Style style, Duration staleTimeout)
            throws IOException {
        var name = nextName(Role.OURS);
        return start(
                name,
                Role.OURS,
                JavaCommand.of(
                        LockFileWorker.class,
                        folder.toString(),
                        name,
                        style.name(),
                        Long.toString(staleTimeout.toMillis()),
                        Long.toString(random.nextLong())));
    }

    /** Starts a {@link ScriptedLockFileProcess}. */
    LockFileProcess startControlled(Duration staleTimeout) throws IOException {
        return start(
                nextName(Role.CONTROLLED),
                Role.CONTROLLED,
                JavaCommand.of(
                        ScriptedLockFileProcess.class,
                        lock().toString(),
                        Long.toString(staleTimeout.toMillis())));
    }

    /** Starts a shell script that attempts a turn each time it gets a line. */
    LockFileProcess startScript(Role role) throws IOException {
        var script = folder.resolve(role.text() + ".sh");
        if (!Files.exists(script)) {
            try (InputStream text =
                    LockFileProcesses.class.getResourceAsStream(script.getFileName().toString())) {
                Files.copy(Objects.requireNonNull(text), script);
            }
        }
        var name = nextName(role);
        var member =
                start(
                        name,
                        role,
                        List.of(
                                "sh",
                                script.toString(),
                                lock().toString(),
                                log().toString(),
                                folder.resolve(COUNTER).toString(),
                                name));
        member.send("0");
        return member;
    }

    private String nextName(Role role) {
        lastName++;
        return role.text() + lastName;
    }

    /**
     * Starts a process that ignores Ctrl-C, which a terminal sends to all processes: this process
     * decides when it exits.
     */
    private LockFileProcess start(String name, Role role, List<String> command) throws IOException {
        var detached = new ArrayList<>(List.of("sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh"));
        detached.addAll(command);
        var process = new ProcessBuilder(detached).redirectErrorStream(true).start();
        var member = LockFileProcess.of(name, role, process);
        members.put(name, member);
        var turns = new Random(random.nextLong());
        readers.put(name, Thread.ofPlatform().daemon().start(() -> listen(member, turns)));
        return member;
    }

    private void listen(LockFileProcess member, Random turns) {
        try (BufferedReader out = member.process().inputReader()) {
            for (var line = out.readLine(); line != null; line = out.readLine()) {
                onLine(member, line, turns);
            }
        } catch (IOException e) {
            fault(member, FailureText.of(e));
        }
    }

    private void onLine(LockFileProcess member, String line, Random turns) {
        switch (member.role()) {
            case CONTROLLED -> {
                if (line.startsWith("failed ")) {
                    fault(member, line);
                }
                member.responses().add(line);
            }
            case EXCLUSIVE, OVERWRITING -> {
                if (line.equals("entered") || line.equals("refused")) {
                    nextTurn(member, turns);
                } else {
                    fault(member, line);
                }
            }
            case OURS -> fault(member, line);
        }
    }

    private static void nextTurn(LockFileProcess member, Random turns) {
        int pauseMillis = member.role() == Role.OVERWRITING ? MAX_MILLIS : 20;
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(turns.nextInt(pauseMillis)));
        boolean slow = turns.nextInt(ONE_OF_SLOW) == 0;
        member.send(
                slow ? String.format(Locale.ROOT, "0.%03d", turns.nextInt(1, MAX_MILLIS)) : "0");
    }

    private void fault(LockFileProcess member, String text) {
        if (!killed.contains(member.name())) {
            faults.add(member.name() + ": " + text);
        }
    }

    LockFileProcess member(String name) {
        return Objects.requireNonNull(members.get(name), name);
    }

    List<LockFileProcess> members() {
        return List.copyOf(members.values());
    }

    /** Kills the process with SIGKILL. Returns when it has ended and its output has been read. */
    void kill(LockFileProcess member) throws InterruptedException {
        killed.add(member.name());
        killedPids.add(member.process().pid());
        members.remove(member.name());
        member.process().destroyForcibly().waitFor();
        Objects.requireNonNull(readers.remove(member.name())).join();
    }

    /** Throws if any fault has been found. */
    void check() throws CheckFailedException {
        var fault = faults.peek();
        if (fault != null) {
            throw new CheckFailedException(
                    fault + (faults.size() > 1 ? " (and " + (faults.size() - 1) + " more)" : ""));
        }
        for (var member : members.values()) {
            if (!member.process().isAlive()) {
                throw new CheckFailedException(member.name() + " has ended");
            }
        }
    }

    /** Waits for the next line of a controlled process. */
    String response(LockFileProcess controlled, Duration timeout)
            throws InterruptedException, CheckFailedException {
        var response = controlled.responses().poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
        if (response == null) {
            check();
            throw new CheckFailedException(
                    controlled.name() + " did not respond within " + timeout.toSeconds() + " s");
        }
        return response;
    }

    /** Waits for the next line of a controlled process, which must begin with the given text. */
    String expect(LockFileProcess controlled, String beginning, Duration timeout)
            throws InterruptedException, CheckFailedException {
        var response = response(controlled, timeout);
        if (!response.startsWith(beginning)) {
            throw new CheckFailedException(
                    controlled.name()
                            + " responded \""
                            + response
                            + "\", expected "
                            + beginning.strip());
        }
        return response;
    }

    /** Lets all processes exit by themselves, and checks that they leave no files behind. */
    void end() throws IOException, InterruptedException, CheckFailedException {
        endWithOverwriter();
        checkLeftovers();
    }

    /**
     * Lets all processes exit by themselves, where a script overwrites the lock file: a file of it
     * that was moved aside is neither put back nor deleted. Returns the number of these files.
     */
    int endWithOverwriter() throws IOException, InterruptedException, CheckFailedException {
        check();
        members.values().forEach(LockFileProcess::closeInput);
        for (var member : members.values()) {
            if (!member.process().waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                throw new CheckFailedException(member.name() + " does not exit");
            }
        }
        members.clear();
        for (var reader : readers.values()) {
            reader.join();
        }
        check();
        try (Stream<Path> files = Files.list(folder)) {
            return (int) files.filter(file -> file.toString().endsWith(".old")).count();
        }
    }

    private void checkLeftovers() throws IOException, CheckFailedException {
        try (Stream<Path> files = Files.list(folder)) {
            for (var file : files.map(path -> path.getFileName().toString()).toList()) {
                if (file.contains(LOCK) && !file.equals(LOCK + ".guard") && !isOfKilled(file)) {
                    throw new CheckFailedException(file + " was left behind");
                }
            }
        }
    }

    /**
     * Whether a killed process has left the file behind: a helper file has the process id in its
     * name.
     */
    private boolean isOfKilled(String file) {
        return killedPids.stream().anyMatch(pid -> file.startsWith("." + LOCK + "." + pid + "."));
    }

    @Override
    public void close() {
        members.values().forEach(member -> killed.add(member.name()));
        members.values().forEach(member -> member.process().destroyForcibly());
        for (var member : members.values()) {
            try {
                member.process().waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
