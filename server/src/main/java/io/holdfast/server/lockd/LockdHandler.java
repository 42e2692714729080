package io.holdfast.server.lockd;

import io.holdfast.protocol.lockd.LockdDecoder;
import io.holdfast.protocol.lockd.LockdInput;
import io.netty.buffer.ByteBuf;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A lockd connection on TCP or a Unix socket: each line is a command. */
public final class LockdHandler extends LockdConnection<LockdInput> {
    private static final Logger LOG = LoggerFactory.getLogger(LockdHandler.class);

    private final LockdDecoder decoder = new LockdDecoder();
    private final @Nullable String name;

    /**
     * @param name the name of the connection; null for its address
     */
    public LockdHandler(LockdService service, LockdAccess access, @Nullable String name) {
        super(service, access);
        this.name = name;
    }

    @Override
    protected String name() {
        return name == null ? super.name() : name;
    }

    @Override
    protected @Nullable LockdInput decode(ByteBuf bytes) {
        return decoder.decode(bytes);
    }

    @Override
    protected void handle(LockdInput next) {
        switch (next) {
            case LockdInput.Command command -> serve(command);
            case LockdInput.Invalid() -> serveInvalid();
            case LockdInput.LooksLikeHttp() -> {
                LOG.atDebug()
                        .addKeyValue("conn", session().id())
                        .log("HTTP request on a lock port; closing");
                abort();
            }
        }
    }

    @Override
    boolean isInsideCommand() {
        return decoder.isInsideLine();
    }

    @Override
    long commandsRead() {
        return decoder.linesRead();
    }

    /** A last line without a line end is a command too. */
    @Override
    protected void endOfRequests(@Nullable ByteBuf rest) {
        LockdInput last = decoder.last(rest);
        if (last != null) {
            handle(last);
        }
        if (state() == State.READY) {
            finish();
        } // else when its response is written
    }

    @Override
    ByteBuf beginResponse() {
        return output();
    }

    @Override
    void endResponse(ByteBuf response) {}

    @Override
    void beginLongResponse(long length, ByteBuf out) {}
}
