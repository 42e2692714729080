package io.holdfast.cluster.entry;

import io.holdfast.driver.Caps;
import io.holdfast.engine.Key;
import io.holdfast.engine.Policy;
import io.holdfast.engine.Settings;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Rules as bytes. Equal rules are equal bytes. */
public final class RulesEncoding {
    private RulesEncoding() {}

    public static void write(Rules rules, ByteWriter out) {
        Settings settings = rules.settings();
        out.number(settings.maxWaiters());
        out.span(settings.idleNanos());
        out.flag(settings.autoRelease());
        out.number(settings.maxListLength());
        out.flag(settings.keepsValues());
        out.number(settings.policies().size());
        new TreeMap<>(settings.policies())
                .forEach(
                        (key, policy) -> {
                            out.key(key);
                            out.octet(tag(policy));
                        });
        Caps caps = rules.caps();
        out.number(caps.keys());
        out.number(caps.claims());
        out.number(caps.entries());
        out.span(rules.sessionNanos());
        out.signed(rules.maxSubscriptions());
    }

    public static Rules read(ByteReader in) throws EncodingException {
        int maxWaiters = in.count();
        long idleNanos = in.span();
        boolean autoRelease = in.flag();
        int maxListLength = in.count();
        boolean keepsValues = in.flag();
        Map<Key, Policy> policies = policies(in);
        Caps caps = new Caps(in.number(), in.number(), in.number());
        long sessionNanos = in.span();
        long maxSubscriptions = in.signed();
        if (idleNanos < 0 || sessionNanos <= 0 || maxSubscriptions != (int) maxSubscriptions) {
            throw in.wrong("impossible rules");
        }
        var settings =
                new Settings(
                        maxWaiters, idleNanos, autoRelease, maxListLength, keepsValues, policies);
        return new Rules(settings, caps, sessionNanos, (int) maxSubscriptions);
    }

    private static Map<Key, Policy> policies(ByteReader in) throws EncodingException {
        int count = in.length();
        Map<Key, Policy> policies = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Key key = in.key();
            if (policies.put(key, policy(in)) != null) {
                throw in.wrong("two policies of one key");
            }
        }
        return policies;
    }

    private static int tag(Policy policy) {
        return switch (policy) {
            case FIFO -> Tags.FIFO;
            case READER_PREFERRED -> Tags.READER_PREFERRED;
            case WRITER_PREFERRED -> Tags.WRITER_PREFERRED;
        };
    }

    private static Policy policy(ByteReader in) throws EncodingException {
        int tag = in.octet();
        return switch (tag) {
            case Tags.FIFO -> Policy.FIFO;
            case Tags.READER_PREFERRED -> Policy.READER_PREFERRED;
            case Tags.WRITER_PREFERRED -> Policy.WRITER_PREFERRED;
            default -> throw in.wrong("no known policy but %d".formatted(tag));
        };
    }
}
