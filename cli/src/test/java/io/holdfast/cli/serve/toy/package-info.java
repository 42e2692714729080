/** A protocol of the tests: each line is a key to acquire. */
@NullMarked
package io.holdfast.cli.serve.toy;

import org.jspecify.annotations.NullMarked;
