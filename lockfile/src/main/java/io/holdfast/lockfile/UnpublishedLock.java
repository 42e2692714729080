package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** A lock of ours that wants to be published under a name that must be free. */
abstract sealed class UnpublishedLock {
    /** This file system cannot give a file a second name. */
    static final class NoLinksException extends IOException {
        NoLinksException(Throwable cause) {
            super(cause);
        }
    }

    final LockFileSystem disk;
    final Path lock;
    final Holder holder;
    final byte[] bytes;
    boolean published;
    private final long stampedNanos = System.nanoTime();

    private UnpublishedLock(LockFileSystem lockFileSystem, Path lock, Holder holder) {
        this.disk = lockFileSystem;
        this.lock = lock;
        this.holder = holder;
        this.bytes = LockFile.write(holder);
    }

    /** False if the name is taken. */
    abstract boolean publish() throws IOException;

    /** What was published. */
    abstract HeldLockFile held();

    /** Removes what is not needed any more; all, if it was not published. */
    abstract void discard();

    HeldLockFile held(Object identity, LockFileSystem.@Nullable OwnFile file) {
        return new HeldLockFile(holder, identity, bytes, file, stampedNanos);
    }

    /** Is written under a name of its own first: nobody ever sees half of it. */
    static final class Linked extends UnpublishedLock {
        private final Path helper;
        private final LockFileSystem.OwnFile file;
        private final Object identity;

        Linked(LockFileSystem lockFileSystem, LockPaths paths, Holder holder, boolean isPrivate)
                throws IOException {
            super(lockFileSystem, paths.lock(), holder);
            helper = paths.newHelper();
            file = lockFileSystem.create(helper, isPrivate);
            try {
                file.write(bytes);
                LockFileSystem.Entry entry = lockFileSystem.stat(helper);
                if (entry == null) {
                    throw new NoSuchFileException(helper.toString());
                }
                identity = entry.identity();
            } catch (IOException | RuntimeException e) {
                discard();
                throw e;
            }
        }

        @Override
        boolean publish() throws IOException {
            published = link();
            return published;
        }

        private boolean link() throws IOException {
            try {
                disk.link(helper, lock);
                return true;
            } catch (FileAlreadyExistsException e) {
                return isThere(); // the answer of a file server may have been lost
            } catch (NoSuchFileException | AccessDeniedException e) {
                throw e;
            } catch (FileSystemException | UnsupportedOperationException e) {
                if (isThere()) {
                    return true;
                }
                throw new NoLinksException(e);
            }
        }

        private boolean isThere() throws IOException {
            LockFileSystem.Entry there = disk.stat(lock);
            return there != null && there.identity().equals(identity);
        }

        @Override
        HeldLockFile held() {
            return held(identity, file);
        }

        @Override
        void discard() {
            if (!published) {
                BestEffortCleanup.run(file::close);
            }
            BestEffortCleanup.run(() -> disk.delete(helper));
        }
    }

    /** Is made in its place, and then written. */
    static final class Direct extends UnpublishedLock {
        private final LockFileOperations procedure;
        private final boolean isPrivate;
        private final boolean keepsOpen;
        private LockFileSystem.@Nullable OwnFile file;
        private @Nullable Object identity;
        private boolean written;

        Direct(
                LockFileSystem lockFileSystem,
                LockPaths paths,
                Holder holder,
                boolean isPrivate,
                boolean keepsOpen,
                LockFileOperations procedure) {
            super(lockFileSystem, paths.lock(), holder);
            this.isPrivate = isPrivate;
            this.keepsOpen = keepsOpen;
            this.procedure = procedure;
        }

        @Override
        boolean publish() throws IOException {
            if (file != null) {
                discard(); // what came of the turn before
            }
            written = false;
            try {
                file = disk.create(lock, isPrivate);
            } catch (FileAlreadyExistsException e) {
                return false;
            }
            LockFileSystem.Entry entry = disk.stat(lock);
            identity = entry == null ? null : entry.identity();
            file.write(bytes);
            written = true;
            ObservedFile seen = ObservedFile.of(disk, lock);
            published = seen != null && identity != null && seen.is(identity, bytes);
            if (!keepsOpen) {
                file.close();
            }
            return published;
        }

        @Override
        HeldLockFile held() {
            if (identity == null) {
                throw new IllegalStateException("not published");
            }
            return held(identity, keepsOpen ? file : null);
        }

        @Override
        void discard() {
            LockFileSystem.OwnFile made = file;
            if (published || made == null) {
                return;
            }
            if (!written) {
                BestEffortCleanup.run(
                        () -> {
                            made.write(bytes);
                            written = true;
                        });
            }
            BestEffortCleanup.run(() -> procedure.removeUnfinished(this::isOurs));
            BestEffortCleanup.run(made::close);
            file = null;
        }

        /** Our bytes prove it, if they could be written; else what we found after making it. */
        private boolean isOurs(ObservedFile seen) {
            return written
                    ? Arrays.equals(seen.bytes(), bytes)
                    : identity != null
                            && seen.entry().identity().equals(identity)
                            && isBeginning(seen.bytes(), bytes);
        }

        private static boolean isBeginning(byte @Nullable [] part, byte[] whole) {
            return part != null
                    && part.length <= whole.length
                    && Arrays.equals(part, 0, part.length, whole, 0, part.length);
        }
    }
}
