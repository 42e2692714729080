package io.holdfast.server.lockd;

import io.netty.buffer.ByteBuf;

/** How the responses of a connection are separated. */
interface LockdFraming {
    /** The buffer for the response to one command; {@link #end} follows. */
    ByteBuf begin();

    void end(ByteBuf response);

    /** Begins a streamed response of this length in bytes. */
    void beginLong(long length, ByteBuf out);
}
