/**
 * Measures acquire-and-release rounds against a running server. Start at {@link BenchCommand}; the
 * work is done by {@link BenchRun}, on one event loop, so that the tool uses little CPU next to the
 * server that it measures.
 */
@NullMarked
package io.holdfast.verification.bench;

import org.jspecify.annotations.NullMarked;
