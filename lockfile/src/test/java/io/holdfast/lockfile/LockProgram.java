package io.holdfast.lockfile;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A process that executes the operations of its command line. */
final class LockProgram {
    private LockProgram() {}

    public static void main(String[] arguments) throws IOException {
        var path = Path.of(arguments[1]);
        switch (arguments[0]) {
            case "hold" -> {
                FileSemaphore.at(path).acquireNow();
                System.out.println("holds");
                System.in.read();
                System.exit(0);
            }
            case "hold-on-exit" -> {
                var config = LockFileConfig.builder().releaseOnExit(false).build();
                FileSemaphore.at(path, config).acquireNow();
                System.out.println("holds");
                System.in.read();
            }
            case "hold-some" -> {
                for (int i = 0; i < 10; i++) {
                    Path folder = Files.createDirectory(path.resolve("folder-" + i));
                    FileSemaphore.at(folder.resolve("my.lock")).acquireNow();
                }
                // this one cannot be released: a file replaces its folder
                Files.move(path.resolve("folder-5"), path.resolve("elsewhere"));
                Files.createFile(path.resolve("folder-5"));
                System.exit(0);
            }
            case "exit-when-warned" -> {
                var config = LockFileConfig.builder().onWarning(text -> System.exit(5)).build();
                Files.createDirectory(path.resolveSibling(path.getFileName() + ".guard"));
                FileSemaphore.at(path, config).acquireNow().close();
            }
            case "try" -> {
                try {
                    System.out.println(FileSemaphore.at(path).tryAcquire().isPresent());
                } catch (LockFileException e) {
                    System.out.println(e.getClass().getSimpleName() + " " + e.getMessage());
                }
            }
            case "lock-sidecar" -> {
                try (var channel = FileChannel.open(path, StandardOpenOption.WRITE);
                        var lock = channel.lock()) {
                    System.out.println("holds " + lock.isValid());
                    System.in.read();
                }
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }
}
