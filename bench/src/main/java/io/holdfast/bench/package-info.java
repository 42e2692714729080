/** Micro-benchmarks of the engine and the codec. See docs/benchmarks.md for how to run them. */
@NullMarked
package io.holdfast.bench;

import org.jspecify.annotations.NullMarked;
