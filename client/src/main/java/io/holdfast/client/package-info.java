/**
 * The client for Holdfast and dflockd servers. Start at {@link
 * io.holdfast.client.Holdfast#connect}. Holds are renewed until they are closed, and their owner is
 * notified when they are lost. No call blocks indefinitely because of a dead server.
 */
@NullMarked
package io.holdfast.client;

import org.jspecify.annotations.NullMarked;
