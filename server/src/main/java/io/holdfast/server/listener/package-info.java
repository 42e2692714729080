/**
 * What a listener is: an address, and a protocol with options. {@link
 * io.holdfast.server.listener.ServerProtocol} is what a protocol implements to be served.
 */
@NullMarked
package io.holdfast.server.listener;

import org.jspecify.annotations.NullMarked;
