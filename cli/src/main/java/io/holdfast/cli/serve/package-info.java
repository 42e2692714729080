/**
 * The commands that run a server: {@code serve}, and the drop-in replacements {@code dflockd},
 * {@code lockd} and {@code socketlockd}. All settings are in {@link io.holdfast.cli.serve.Setting}.
 */
@NullMarked
package io.holdfast.cli.serve;

import org.jspecify.annotations.NullMarked;
