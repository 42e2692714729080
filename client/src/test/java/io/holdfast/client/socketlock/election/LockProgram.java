package io.holdfast.client.socketlock.election;

import io.holdfast.client.socketlock.LockConfig;
import io.holdfast.client.socketlock.SocketLock;
import io.holdfast.client.socketlock.SocketLockClient;
import io.holdfast.client.socketlock.SocketLockException;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A process with one client, which does as it is told on standard input and tells on standard
 * output what happens. Started by {@link LockProcess}; ends with its standard input.
 */
final class LockProgram {
    /** A thread that has not run for so long was stopped. */
    private static final long GAP_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final SocketLockClient client;
    private volatile @Nullable SocketLock lock;

    /** At a path that is not the usual one. */
    private @Nullable SocketLockClient visitor;

    private LockProgram(SocketLockClient client) {
        this.client = client;
    }

    /** Takes the path, and what the client calls itself if that matters. */
    public static void main(String[] arguments) throws IOException {
        String id = arguments.length > 1 ? arguments[1] : "";
        LockConfig config = LockConfig.builder().clientId(id).build();
        SocketLockClient client;
        try {
            client = SocketLockClient.connect(Path.of(arguments[0]), config);
        } catch (SocketLockException e) {
            say("error " + e.getMessage());
            return;
        }
        say("connected " + ProcessHandle.current().pid());
        LockProgram program = new LockProgram(client);
        daemon(program::watchSeat);
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            program.obey(line.split(" ", -1));
        }
        System.exit(0); // like a crash, only slower: nothing is released
    }

    private void obey(String[] words) {
        switch (words[0]) {
            case "write" -> daemon(() -> take(true));
            case "read" -> daemon(() -> take(false));
            case "release" -> say("released " + mine().release());
            case "look" -> say("looks " + mine().isValid() + " " + mine().state());
            case "guard" -> daemon(this::guard);
            case "use" -> daemon(() -> use(Path.of(words[1]), Integer.parseInt(words[2])));
            case "meet" -> meet(Path.of(words[1]));
            case "close" -> {
                long began = System.nanoTime();
                client.close();
                say("closed " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
            }
            case "leave" -> {
                long began = System.nanoTime();
                client.closeNow();
                say("left " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
            }
            default -> say("error no such command");
        }
    }

    private SocketLock mine() {
        return Objects.requireNonNull(lock);
    }

    private void take(boolean write) {
        try {
            SocketLock got = write ? client.acquireWrite() : client.acquireRead();
            lock = got;
            got.onChange(state -> say("became " + state));
            say("holds " + got.fence());
        } catch (SocketLockException e) {
            say("error " + e.getMessage());
        }
    }

    /** Joins the others at another path, until this is said again. */
    private void meet(Path path) {
        try {
            if (visitor != null) {
                visitor.closeNow();
            }
            visitor = SocketLockClient.connect(path);
            say("met " + visitor.isPrimary());
        } catch (SocketLockException e) {
            say("error " + e.getMessage());
        }
    }

    /** Takes the lock over and over, with a file that only one may make. */
    private void use(Path marker, int times) {
        try {
            for (int i = 0; i < times; i++) {
                SocketLock mine = client.acquireWrite();
                Files.createFile(marker);
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
                Files.delete(marker);
                mine.release();
            }
            say("used");
        } catch (FileAlreadyExistsException e) {
            say("error two writers");
        } catch (IOException | SocketLockException e) {
            say("error " + e);
        }
    }

    /** Looks at the lock all the time; tells what it sees first when it was stopped. */
    private void guard() {
        SocketLock mine = mine();
        long last = System.nanoTime();
        boolean woken = false;
        say("guards");
        while (true) {
            long now = System.nanoTime(); // before the look, which must not be older
            boolean valid = mine.isValid();
            if (woken && valid) {
                say("error valid again");
                return;
            }
            if (now - last > GAP_NANOS) {
                woken = true;
                say("woke " + valid);
            }
            last = now;
            Thread.onSpinWait(); // it must be the first of all threads to look
        }
    }

    private void watchSeat() {
        boolean was = false;
        while (true) {
            boolean is = client.isPrimary();
            if (is != was) {
                say(is ? "serves" : "serves no more");
                was = is;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
