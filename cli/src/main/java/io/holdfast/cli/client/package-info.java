/**
 * Commands that use a server: {@code lock}, {@code sem} and {@code lead} run a command while they
 * hold a key, the others send a request and print the result. Start at {@link
 * io.holdfast.cli.client.ClientCommands}. All share {@code ServerOptions} and the handling of
 * failures in {@code ClientCommand}.
 */
@NullMarked
package io.holdfast.cli.client;

import org.jspecify.annotations.NullMarked;
