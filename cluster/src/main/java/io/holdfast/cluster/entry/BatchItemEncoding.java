package io.holdfast.cluster.entry;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/** Encodes items: the tag, the session, and the fields of the item. */
final class BatchItemEncoding {
    private BatchItemEncoding() {}

    /**
     * Writes an item.
     *
     * @param base subtracted from session ids, which makes them small
     */
    static void write(BatchItem batchItem, long base, ByteWriter out) {
        switch (batchItem) {
            case BatchItem.Submit(var command) -> CommandEncoding.write(command, base, out);
            case BatchItem.RegisterSession(
                            long session,
                            var protocol,
                            var name,
                            boolean concurrent) -> {
                out.octet(
                        concurrent
                                ? LogEntryTags.INTRODUCE_CONCURRENT
                                : LogEntryTags.REGISTER_SESSION);
                out.number(session - base);
                out.text(protocol);
                out.text(name);
            }
            case BatchItem.EndSession(long session, long lastAnswered) -> {
                out.octet(LogEntryTags.END_SESSION);
                out.number(session - base);
                out.number(lastAnswered);
            }
            case BatchItem.Listen(long session, long request, var pattern, var group) ->
                    writeFields(LogEntryTags.LISTEN, session - base, request, pattern, group, out);
            case BatchItem.Unlisten(long session, long request, var pattern, var group) ->
                    writeFields(
                            LogEntryTags.UNLISTEN, session - base, request, pattern, group, out);
            case BatchItem.Emit(long session, long request, var channel, var payload) ->
                    writeFields(LogEntryTags.EMIT, session - base, request, channel, payload, out);
        }
    }

    private static void writeFields(
            int tag, long session, long request, Key key, ByteString bytes, ByteWriter out) {
        out.octet(tag);
        out.number(session);
        out.number(request);
        out.key(key);
        out.bytes(bytes);
    }

    static BatchItem read(ByteReader in, long base) throws EncodingException {
        int tag = in.octet();
        long session = base + in.number();
        return switch (tag) {
            case LogEntryTags.REGISTER_SESSION ->
                    new BatchItem.RegisterSession(session, in.text(), in.text(), false);
            case LogEntryTags.INTRODUCE_CONCURRENT ->
                    new BatchItem.RegisterSession(session, in.text(), in.text(), true);
            case LogEntryTags.END_SESSION -> new BatchItem.EndSession(session, in.number());
            case LogEntryTags.LISTEN ->
                    new BatchItem.Listen(session, in.number(), in.key(), in.byteString());
            case LogEntryTags.UNLISTEN ->
                    new BatchItem.Unlisten(session, in.number(), in.key(), in.byteString());
            case LogEntryTags.EMIT ->
                    new BatchItem.Emit(session, in.number(), in.key(), in.byteString());
            default -> new BatchItem.Submit(CommandEncoding.read(tag, session, in));
        };
    }
}
