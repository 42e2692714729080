package io.holdfast.cli.soak;

import io.holdfast.cli.soak.LockFileProcess.Role;
import io.holdfast.driver.FailureText;

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
 * The processes that share one lock file. They end when their standard input does, so none is left
 * when this process ends.
 */
final class LockFileProcesses implements AutoCloseable {
    static final String LOCK = "the.lock";
    static final String LOG = "log";
    static final String COUNTER = "counter";

    /** How a number is kept in the counter: a shell takes a leading zero for octal. */
    static final String NUMBER = "%20d\n";

    private static final long END_SECONDS = 20;

    /** A script in one of so many turns stays for longer than a moment. */
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

    /** The folder gets a counter at zero. */
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

    /** A process that uses the library by itself, over and over. */
    LockFileProcess startOurs(LockFileWorker.Style style, Duration staleTimeout)
            throws IOException {
        var name = nextName(Role.OURS);
        return start(
                name,
                Role.OURS,
                java(
                        LockFileWorker.class,
                        folder.toString(),
                        name,
                        style.name(),
                        Long.toString(staleTimeout.toMillis()),
                        Long.toString(random.nextLong())));
    }

    /** A process that does with the library what it is told. */
    LockFileProcess startPuppet(Duration staleTimeout) throws IOException {
        return start(
                nextName(Role.PUPPET),
                Role.PUPPET,
                java(
                        ScriptedLockFileProcess.class,
                        lock().toString(),
                        Long.toString(staleTimeout.toMillis())));
    }

    /** A shell script that tries by itself, over and over. */
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

    /** From the class path of this process. */
    private static List<String> java(Class<?> program, String... arguments) {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xshare:auto",
                                "-Xmx64m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Deaf to Ctrl-C, which a terminal sends to all: the parent says when to end. */
    private LockFileProcess start(String name, Role role, List<String> command) throws IOException {
        var deaf = new ArrayList<>(List.of("sh", "-c", "trap '' INT HUP; exec \"$@\"", "sh"));
        deaf.addAll(command);
        var process = new ProcessBuilder(deaf).redirectErrorStream(true).start();
        var member = LockFileProcess.of(name, role, process);
        members.put(name, member);
        var turns = new Random(random.nextLong());
        readers.put(name, Thread.ofPlatform().daemon().start(() -> listen(member, turns)));
        return member;
    }

    private void listen(LockFileProcess member, Random turns) {
        try (BufferedReader out = member.process().inputReader()) {
            for (var line = out.readLine(); line != null; line = out.readLine()) {
                hear(member, line, turns);
            }
        } catch (IOException e) {
            fault(member, FailureText.of(e));
        }
    }

    private void hear(LockFileProcess member, String line, Random turns) {
        switch (member.role()) {
            case PUPPET -> {
                if (line.startsWith("failed ")) {
                    fault(member, line);
                }
                member.answers().add(line);
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

    private void fault(LockFileProcess member, String words) {
        if (!killed.contains(member.name())) {
            faults.add(member.name() + ": " + words);
        }
    }

    LockFileProcess member(String name) {
        return Objects.requireNonNull(members.get(name), name);
    }

    List<LockFileProcess> members() {
        return List.copyOf(members.values());
    }

    /** By SIGKILL. Gives back when it is gone and what it said was heard. */
    void kill(LockFileProcess member) throws InterruptedException {
        killed.add(member.name());
        killedPids.add(member.process().pid());
        members.remove(member.name());
        member.process().destroyForcibly().waitFor();
        Objects.requireNonNull(readers.remove(member.name())).join();
    }

    /** Throws if anything is wrong so far. */
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

    /** The next answer of a puppet. */
    String answer(LockFileProcess puppet, Duration patience)
            throws InterruptedException, CheckFailedException {
        var answer = puppet.answers().poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (answer == null) {
            check();
            throw new CheckFailedException(
                    puppet.name() + " does not answer for " + patience.toSeconds() + " s");
        }
        return answer;
    }

    /** The next answer of a puppet, which must begin so. */
    String expect(LockFileProcess puppet, String beginning, Duration patience)
            throws InterruptedException, CheckFailedException {
        var answer = answer(puppet, patience);
        if (!answer.startsWith(beginning)) {
            throw new CheckFailedException(
                    puppet.name() + " says \"" + answer + "\", not " + beginning.strip());
        }
        return answer;
    }

    /** Lets all of them end by themselves, and looks at what they leave behind. */
    void end() throws IOException, InterruptedException, CheckFailedException {
        endBesideStrangers();
        checkLeftovers();
    }

    /**
     * Likewise, where a program makes files that are neither put back nor deleted once they were
     * moved aside: gives the number of these.
     */
    int endBesideStrangers() throws IOException, InterruptedException, CheckFailedException {
        check();
        members.values().forEach(LockFileProcess::closeInput);
        for (var member : members.values()) {
            if (!member.process().waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                throw new CheckFailedException(member.name() + " does not end");
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

    /** A helper file has the process id in its name: one that was killed could not remove it. */
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
