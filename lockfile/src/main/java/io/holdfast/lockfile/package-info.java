/**
 * A lock between processes that is nothing but a small text file: there means held, not there means
 * free. Start at {@link io.holdfast.lockfile.FileSemaphore}. Programs in other languages that
 * follow the published protocol share these files. Never true in here: a file removed that was not
 * the file judged, a lock seen half written, success reported for a file that somebody else made.
 */
@NullMarked
package io.holdfast.lockfile;

import org.jspecify.annotations.NullMarked;
