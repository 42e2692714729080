/**
 * The two ways to run the server: {@code serve}, and {@code dflockd} as the original's stand-in.
 */
@NullMarked
package io.holdfast.cli.serve;

import org.jspecify.annotations.NullMarked;
