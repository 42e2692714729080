package io.holdfast.cluster.entry;

import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;

/** Items as bytes: what it is, its session, and what it says. */
final class ItemEncoding {
    private ItemEncoding() {}

    /**
     * Writes an item.
     *
     * @param base sessions of the stint are a little above this
     */
    static void write(Item item, long base, ByteWriter out) {
        switch (item) {
            case Item.Ask(var command) -> CommandEncoding.write(command, base, out);
            case Item.Introduce(long session, var protocol, var name, boolean concurrent) -> {
                out.octet(concurrent ? Tags.INTRODUCE_CONCURRENT : Tags.INTRODUCE);
                out.number(session - base);
                out.text(protocol);
                out.text(name);
            }
            case Item.End(long session, long lastAnswered) -> {
                out.octet(Tags.END);
                out.number(session - base);
                out.number(lastAnswered);
            }
            case Item.Listen(long session, long request, var pattern, var group) ->
                    about(Tags.LISTEN, session - base, request, pattern, group, out);
            case Item.Unlisten(long session, long request, var pattern, var group) ->
                    about(Tags.UNLISTEN, session - base, request, pattern, group, out);
            case Item.Emit(long session, long request, var channel, var payload) ->
                    about(Tags.EMIT, session - base, request, channel, payload, out);
        }
    }

    private static void about(
            int tag, long session, long request, Key key, ByteString bytes, ByteWriter out) {
        out.octet(tag);
        out.number(session);
        out.number(request);
        out.key(key);
        out.bytes(bytes);
    }

    static Item read(ByteReader in, long base) throws EncodingException {
        int tag = in.octet();
        long session = base + in.number();
        return switch (tag) {
            case Tags.INTRODUCE -> new Item.Introduce(session, in.text(), in.text(), false);
            case Tags.INTRODUCE_CONCURRENT ->
                    new Item.Introduce(session, in.text(), in.text(), true);
            case Tags.END -> new Item.End(session, in.number());
            case Tags.LISTEN -> new Item.Listen(session, in.number(), in.key(), in.byteString());
            case Tags.UNLISTEN ->
                    new Item.Unlisten(session, in.number(), in.key(), in.byteString());
            case Tags.EMIT -> new Item.Emit(session, in.number(), in.key(), in.byteString());
            default -> new Item.Ask(CommandEncoding.read(tag, session, in));
        };
    }
}
