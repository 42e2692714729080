/**
 * The client for Holdfast and dflockd servers. Start at {@link
 * io.holdfast.client.Holdfast#connect}. Holds are renewed until they are closed, and say so when
 * they are lost; nothing in here blocks for ever on a dead server.
 */
@NullMarked
package io.holdfast.client;

import org.jspecify.annotations.NullMarked;
