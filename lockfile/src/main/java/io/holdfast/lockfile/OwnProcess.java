package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The pid, start time and host of this process, as written into lock files. */
final class OwnProcess {
    static final long PID = ProcessHandle.current().pid();
    static final @Nullable Long START = start(ProcessHandle.current());
    static final String HOST = findHost();

    private OwnProcess() {}

    static @Nullable Long start(ProcessHandle process) {
        return process.info().startInstant().map(start -> start.toEpochMilli()).orElse(null);
    }

    /** Avoids a DNS lookup where possible. */
    private static String findHost() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            String windows = System.getenv("COMPUTERNAME");
            if (windows != null) {
                return windows;
            }
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
