/**
 * A lock between processes, represented by a small text file: the lock is held while the file
 * exists. Start at {@link io.holdfast.lockfile.FileSemaphore}. Programs in other languages that
 * follow the published protocol can use the same files. Invariants: a file is removed only if it is
 * the file that was checked; a lock file is published complete; success is reported only for a file
 * that this process created.
 */
@NullMarked
package io.holdfast.lockfile;

import org.jspecify.annotations.NullMarked;
