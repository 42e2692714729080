package io.holdfast.lockfile;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;

/** A lock that this process has prepared, and can publish under its name if that is free. */
abstract sealed class UnpublishedLock {
    /** This file system does not support hard links. */
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

    /** Publishes the lock; false if the name exists. */
    abstract boolean publish() throws IOException;

    /** The lock that was published. */
    abstract HeldLockFile held();

    /** Removes the helper file, and everything else too if the lock was not published. */
    abstract void discard();

    HeldLockFile held(Object identity, LockFileSystem.@Nullable OwnFile file) {
        return new HeldLockFile(holder, identity, bytes, file, stampedNanos);
    }

    /**
     * Is written under a helper name and then hard-linked, so that readers never see it incomplete.
     */
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
                return isPublished(); // a file server may have lost the response
            } catch (NoSuchFileException | AccessDeniedException e) {
                throw e;
            } catch (FileSystemException | UnsupportedOperationException e) {
                if (isPublished()) {
                    return true;
                }
                throw new NoLinksException(e);
            }
        }

        private boolean isPublished() throws IOException {
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

    /** Is created under the final name, and then written. */
    static final class Direct extends UnpublishedLock {
        private final LockFileOperations operations;
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
                LockFileOperations operations) {
            super(lockFileSystem, paths.lock(), holder);
            this.isPrivate = isPrivate;
            this.keepsOpen = keepsOpen;
            this.operations = operations;
        }

        @Override
        boolean publish() throws IOException {
            if (file != null) {
                discard(); // the file of the previous attempt
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
            LockFileObservation observed = LockFileObservation.of(disk, lock);
            published = observed != null && identity != null && observed.is(identity, bytes);
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
            LockFileSystem.OwnFile created = file;
            if (published || created == null) {
                return;
            }
            if (!written) {
                BestEffortCleanup.run(
                        () -> {
                            created.write(bytes);
                            written = true;
                        });
            }
            BestEffortCleanup.run(() -> operations.removeUnfinished(this::isOurs));
            BestEffortCleanup.run(created::close);
            file = null;
        }

        /**
         * Whether the file is the one created here: by its content if that was written, otherwise
         * by its identity.
         */
        private boolean isOurs(LockFileObservation observed) {
            return written
                    ? Arrays.equals(observed.bytes(), bytes)
                    : identity != null
                            && observed.entry().identity().equals(identity)
                            && isBeginning(observed.bytes(), bytes);
        }

        private static boolean isBeginning(byte @Nullable [] part, byte[] whole) {
            return part != null
                    && part.length <= whole.length
                    && Arrays.equals(part, 0, part.length, whole, 0, part.length);
        }
    }
}
