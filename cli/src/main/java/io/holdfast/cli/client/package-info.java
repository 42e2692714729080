/**
 * Commands that use a server: {@code lock} and its kin run a command while they hold something, the
 * others ask once and print the answer. Start at {@link io.holdfast.cli.client.ClientCommands}.
 * Which server, and what becomes of failures, is the same for all: {@code ServerOptions} and {@code
 * ClientCommand}.
 */
@NullMarked
package io.holdfast.cli.client;

import org.jspecify.annotations.NullMarked;
