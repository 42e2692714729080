package io.holdfast.lockfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

@DisplayName("Unexpected files at the path of a lock")
@Timeout(120)
class UnexpectedFilesIT {
    private static final String STALE = "pid=1\ntimestamp=5\n";

    @TempDir private Path temporary;
    private Path folder;
    private Path lock;
    private FileSemaphore semaphore;

    @BeforeEach
    void prepare() throws IOException {
        folder = Files.createDirectory(temporary.toRealPath().resolve("locks"));
        lock = folder.resolve("my.lock");
        semaphore = FileSemaphore.at(lock);
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /**
     * The path counts as held by an unknown holder, is never stale, and release leaves it
     * unchanged.
     */
    private void assertHeldAndUnchanged(LockFileStatus.Found found) {
        assertThat(semaphore.status().isLocked()).isTrue();
        assertThat(semaphore.status().found()).isEqualTo(found);
        assertThat(semaphore.status().holder()).isEmpty();
        assertThat(semaphore.status().isStale()).isFalse();
        assertThat(semaphore.tryAcquire()).isEmpty();
        assertThat(semaphore.clean()).isFalse();
        assertThatThrownBy(() -> semaphore.release(ReleaseCredential.none()))
                .isInstanceOf(DamagedLockException.class);
        assertThat(Files.exists(lock, LinkOption.NOFOLLOW_LINKS)).isTrue();
    }

    @Test
    void a_folder_is_held_and_not_even_removed_by_force() throws IOException {
        Files.createDirectory(lock);
        assertHeldAndUnchanged(LockFileStatus.Found.FOLDER);
        assertThatThrownBy(semaphore::forceRelease)
                .isInstanceOf(DamagedLockException.class)
                .hasMessageContaining("a folder");
        assertThat(lock).isDirectory();
    }

    @Test
    void a_link_to_a_lock_is_held_and_force_removes_the_link_alone() throws IOException {
        Path target = Files.writeString(folder.resolve("target"), STALE);
        Files.createSymbolicLink(lock, target);
        assertHeldAndUnchanged(LockFileStatus.Found.LINK);
        assertThat(semaphore.forceRelease()).isTrue();
        assertThat(target).hasContent(STALE);
        assertThat(Files.exists(lock, LinkOption.NOFOLLOW_LINKS)).isFalse();
    }

    @Test
    void a_link_to_nothing_or_to_itself_is_held() throws IOException {
        Files.createSymbolicLink(lock, folder.resolve("nothing"));
        assertHeldAndUnchanged(LockFileStatus.Found.LINK);
        Files.delete(lock);
        Files.createSymbolicLink(lock, lock);
        assertHeldAndUnchanged(LockFileStatus.Found.LINK);
        assertThat(folder.resolve("nothing")).doesNotExist();
    }

    @Test
    void a_link_is_followed_to_its_target_if_that_is_configured() throws IOException {
        Path target = folder.resolve("target");
        Files.createSymbolicLink(lock, Path.of("hop"));
        Files.createSymbolicLink(folder.resolve("hop"), target);
        var following = FileSemaphore.at(lock, LockFileConfig.builder().followLinks(true).build());
        assertThat(following.path()).isEqualTo(target);
        try (Guard guard = following.acquireNow()) {
            assertThat(target).isRegularFile();
            assertThat(guard.path()).isEqualTo(target);
        }
        assertThat(target).doesNotExist();
        assertThat(Files.isSymbolicLink(lock)).isTrue();
        Path circle = Files.createSymbolicLink(folder.resolve("circle"), Path.of("circle"));
        assertThatThrownBy(
                        () ->
                                FileSemaphore.at(
                                        circle, LockFileConfig.builder().followLinks(true).build()))
                .isInstanceOf(LockPathException.class);
    }

    @Test
    void a_pipe_is_held_and_not_opened() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")), "no mkfifo");
        assertThat(new ProcessBuilder("mkfifo", lock.toString()).start().waitFor()).isZero();
        assertHeldAndUnchanged(LockFileStatus.Found.OTHER);
        assertThatThrownBy(semaphore::forceRelease).isInstanceOf(DamagedLockException.class);
    }

    @Test
    void a_file_that_may_not_be_read_is_held_and_never_stale() throws IOException {
        assumeTrue(!"root".equals(System.getProperty("user.name")), "root may do anything");
        Files.writeString(lock, STALE);
        Files.setPosixFilePermissions(lock, PosixFilePermissions.fromString("---------"));
        assertHeldAndUnchanged(LockFileStatus.Found.UNREADABLE_FILE);
    }

    @Test
    void a_pipe_or_link_in_place_of_the_sidecar_causes_a_warning_and_no_wait() throws Exception {
        List<String> warnings = new ArrayList<>();
        var warning =
                FileSemaphore.at(lock, LockFileConfig.builder().onWarning(warnings::add).build());
        Path sidecar = folder.resolve("my.lock.guard");
        Files.createSymbolicLink(sidecar, folder.resolve("elsewhere"));
        Files.writeString(lock, STALE);
        try (Guard guard = warning.acquireNow()) {
            assertThat(guard.isStillOwner()).isTrue();
        }
        assertThat(warnings).singleElement().asString().contains("my.lock.guard");
        assertThat(folder.resolve("elsewhere")).doesNotExist();
        assertThat(files(folder)).isEqualTo(List.of("my.lock.guard"));
    }

    @Test
    void a_folder_reached_by_a_link_has_the_same_lock() throws IOException {
        Path alias = Files.createSymbolicLink(temporary.resolve("alias"), folder);
        var other = FileSemaphore.at(alias.resolve("my.lock"));
        assertThat(other.path()).isEqualTo(lock);
        try (Guard guard = semaphore.acquireNow()) {
            assertThat(other.tryAcquire()).isEmpty();
            assertThat(guard.isStillOwner()).isTrue();
        }
    }

    @Test
    void a_missing_folder_or_name_is_reported() {
        assertThatThrownBy(() -> FileSemaphore.at(folder.resolve("no/such.lock")))
                .isInstanceOf(LockPathException.class)
                .hasMessageContaining("no such folder")
                .hasMessageContaining(folder.resolve("no").toString());
        assertThatThrownBy(() -> FileSemaphore.at(Path.of("")))
                .isInstanceOf(LockPathException.class);
        assertThatThrownBy(() -> FileSemaphore.at(Path.of("/")))
                .isInstanceOf(LockPathException.class);
        assertThatThrownBy(() -> FileSemaphore.at(folder.resolve("..")))
                .isInstanceOf(LockPathException.class);
        assertThatThrownBy(() -> FileSemaphore.at(folder.resolve("my.lock.guard")))
                .isInstanceOf(LockPathException.class)
                .hasMessageContaining("choose another name");
    }

    @Test
    void a_folder_that_is_removed_later_is_reported() throws IOException {
        Files.delete(folder);
        assertThatThrownBy(semaphore::tryAcquire)
                .isInstanceOf(LockPathException.class)
                .hasMessageContaining("no such folder");
    }

    @Test
    void a_file_in_place_of_the_folder_is_reported() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> FileSemaphore.at(file.resolve("my.lock")))
                .isInstanceOf(LockPathException.class);
    }

    @Test
    void long_names_and_names_with_two_dots_are_accepted() throws IOException {
        for (String name : List.of("a..b.lock", "x".repeat(255), "y".repeat(250), "日".repeat(80))) {
            Path path = folder.resolve(name);
            FileSemaphore.at(path).acquireNow().close();
            Files.writeString(path, STALE);
            FileSemaphore.at(path).acquireNow().close();
            assertThat(path).doesNotExist();
        }
        assertThat(files(folder)).hasSize(4).allMatch(name -> name.endsWith(".guard"));
        Path left = makeOld(folder.resolve(".fsem-0123456789abcdef.new"), Duration.ofHours(2));
        assertThat(FileSemaphore.at(folder.resolve("short.lock")).clean()).isFalse();
        assertThat(FileSemaphore.at(folder.resolve("x".repeat(255))).clean()).isTrue();
        assertThat(left).doesNotExist();
    }

    @Test
    void a_file_system_without_write_access_is_reported_as_not_permitted() {
        Path nowhere = Path.of("/sys/my.lock");
        assumeTrue(Files.isDirectory(Path.of("/sys/kernel")), "no folder that is never writable");
        assertThatThrownBy(() -> FileSemaphore.at(nowhere).tryAcquire())
                .isInstanceOf(NotPermittedException.class)
                .hasMessageContaining("/sys");
    }

    @Test
    void cleaning_removes_stale_locks_and_old_helpers_and_nothing_else() throws IOException {
        String random = "0123456789abcdef";
        List<String> old =
                List.of(
                        ".my.lock.12." + random + ".new",
                        ".my.lock.12." + random + ".old",
                        "my.lock.12." + random + ".tmp");
        List<String> kept =
                List.of(
                        "my.lock.guard",
                        "my.lock.notes.tmp",
                        "my.lock.12.tmp",
                        ".my.lock.12." + random + ".txt",
                        ".other.lock.12." + random + ".new",
                        "my.lock");
        for (String name : old) {
            makeOld(folder.resolve(name), Duration.ofMinutes(61));
        }
        for (String name : kept) {
            makeOld(folder.resolve(name), Duration.ofDays(1));
        }
        Path young =
                makeOld(folder.resolve(".my.lock.13." + random + ".new"), Duration.ofMinutes(5));
        Files.writeString(lock, "somebody's text");
        assertThat(semaphore.clean()).isTrue();
        assertThat(semaphore.clean()).isFalse();
        assertThat(files(folder))
                .containsAll(kept)
                .contains(young.getFileName().toString())
                .doesNotContainAnyElementsOf(old);
        Files.writeString(lock, STALE);
        assertThat(semaphore.clean()).isTrue();
        assertThat(lock).doesNotExist();
        assertThat(folder.resolve("my.lock.guard")).exists();
    }

    private static Path makeOld(Path file, Duration age) throws IOException {
        Files.createFile(file);
        return Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
    }

    @Test
    void a_world_writable_folder_causes_one_warning() throws IOException {
        List<String> warnings = new ArrayList<>();
        var config = LockFileConfig.builder().onWarning(warnings::add).build();
        FileSemaphore.at(lock, config);
        assertThat(warnings).isEmpty();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        FileSemaphore.at(lock, config);
        FileSemaphore.at(folder.resolve("other.lock"), config).acquireNow().close();
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains(folder.toString())
                .contains("sticky");
    }

    @Test
    void a_sticky_folder_causes_no_warning() throws Exception {
        List<String> warnings = new ArrayList<>();
        var chmod = new ProcessBuilder("chmod", "1777", folder.toString()).start();
        assertThat(chmod.waitFor(60, TimeUnit.SECONDS)).isTrue();
        FileSemaphore.at(lock, LockFileConfig.builder().onWarning(warnings::add).build());
        assertThat(warnings).isEmpty();
    }

    @Test
    void users_with_write_access_to_the_folder_may_lock_the_sidecar() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxr-x"));
        semaphore.acquireNow().close();
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(folder.resolve("my.lock.guard"))))
                .isEqualTo("rw-rw-r--");
    }
}
