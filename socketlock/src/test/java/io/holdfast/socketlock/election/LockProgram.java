package io.holdfast.socketlock.election;

import io.holdfast.socketlock.LockConfig;
import io.holdfast.socketlock.SocketLock;
import io.holdfast.socketlock.SocketLockClient;
import io.holdfast.socketlock.SocketLockException;

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
 * A process with one client, which executes the commands of standard input and reports on standard
 * output. Started by {@link LockProcess}; exits at the end of its input.
 */
final class LockProgram {
    /** A longer pause of a thread means that the process was suspended. */
    private static final long GAP_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final SocketLockClient client;
    private volatile @Nullable SocketLock lock;

    /** The client at another path. */
    private @Nullable SocketLockClient visitor;

    private LockProgram(SocketLockClient client) {
        this.client = client;
    }

    /** Arguments: the path, and optionally the client id. */
    public static void main(String[] arguments) throws IOException {
        String id = arguments.length > 1 ? arguments[1] : "";
        LockConfig config = LockConfig.builder().clientId(id).build();
        SocketLockClient client;
        try {
            client = SocketLockClient.connect(Path.of(arguments[0]), config);
        } catch (SocketLockException e) {
            print("error " + e.getMessage());
            return;
        }
        print("connected " + ProcessHandle.current().pid());
        LockProgram program = new LockProgram(client);
        daemon(program::watchPrimaryLock);
        var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            program.obey(line.split(" ", -1));
        }
        System.exit(0); // like a crash: nothing is released
    }

    private void obey(String[] words) {
        switch (words[0]) {
            case "write" -> daemon(() -> take(true));
            case "read" -> daemon(() -> take(false));
            case "release" -> print("released " + mine().release());
            case "look" -> print("looks " + mine().isValid() + " " + mine().state());
            case "guard" -> daemon(this::guard);
            case "use" -> daemon(() -> use(Path.of(words[1]), Integer.parseInt(words[2])));
            case "meet" -> meet(Path.of(words[1]));
            case "close" -> {
                long began = System.nanoTime();
                client.close();
                print("closed " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
            }
            case "leave" -> {
                long began = System.nanoTime();
                client.closeNow();
                print("left " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
            }
            default -> print("error no such command");
        }
    }

    private SocketLock mine() {
        return Objects.requireNonNull(lock);
    }

    private void take(boolean write) {
        try {
            SocketLock got = write ? client.acquireWrite() : client.acquireRead();
            lock = got;
            got.onChange(state -> print("became " + state));
            print("holds " + got.fence());
        } catch (SocketLockException e) {
            print("error " + e.getMessage());
        }
    }

    /** Connects to another path, until the command is repeated. */
    private void meet(Path path) {
        try {
            if (visitor != null) {
                visitor.closeNow();
            }
            visitor = SocketLockClient.connect(path);
            print("met " + visitor.isPrimary());
        } catch (SocketLockException e) {
            print("error " + e.getMessage());
        }
    }

    /** Acquires the lock repeatedly, and creates a file under it that must not exist. */
    private void use(Path marker, int times) {
        try {
            for (int i = 0; i < times; i++) {
                SocketLock mine = client.acquireWrite();
                Files.createFile(marker);
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
                Files.delete(marker);
                mine.release();
            }
            print("used");
        } catch (FileAlreadyExistsException e) {
            print("error two writers");
        } catch (IOException | SocketLockException e) {
            print("error " + e);
        }
    }

    /** Polls the lock continuously; reports its first observation after a suspension. */
    private void guard() {
        SocketLock mine = mine();
        long last = System.nanoTime();
        boolean woken = false;
        print("guards");
        while (true) {
            long now = System.nanoTime(); // before the check, which must not be older
            boolean valid = mine.isValid();
            if (woken && valid) {
                print("error valid again");
                return;
            }
            if (now - last > GAP_NANOS) {
                woken = true;
                print("woke " + valid);
            }
            last = now;
            Thread.onSpinWait(); // this thread must be the first to check
        }
    }

    private void watchPrimaryLock() {
        boolean was = false;
        while (true) {
            boolean is = client.isPrimary();
            if (is != was) {
                print(is ? "serves" : "serves no more");
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

    private static synchronized void print(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
