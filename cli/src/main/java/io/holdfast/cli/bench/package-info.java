/**
 * Measures acquire-and-release rounds against a running server. Start at {@link BenchCommand}; the
 * work happens in {@link BenchRun}, on one event loop, so that the tool costs little beside the
 * server it measures.
 */
@NullMarked
package io.holdfast.cli.bench;

import org.jspecify.annotations.NullMarked;
