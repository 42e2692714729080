package io.holdfast.cluster.entry;

import io.holdfast.driver.KeyCountLimits;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.QueuePolicy;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Encodes the replicated settings. Equal settings have equal bytes. */
public final class ReplicatedSettingsEncoding {
    private ReplicatedSettingsEncoding() {}

    public static void write(ReplicatedSettings replicatedSettings, ByteWriter out) {
        EngineSettings engineSettings = replicatedSettings.settings();
        out.number(engineSettings.maxWaiters());
        out.duration(engineSettings.idleNanos());
        out.flag(engineSettings.autoRelease());
        out.number(engineSettings.maxListLength());
        out.flag(engineSettings.keepsValues());
        out.number(engineSettings.policies().size());
        new TreeMap<>(engineSettings.policies())
                .forEach(
                        (key, queuePolicy) -> {
                            out.key(key);
                            out.octet(tag(queuePolicy));
                        });
        KeyCountLimits keyCountLimits = replicatedSettings.keyCountLimits();
        out.number(keyCountLimits.keys());
        out.number(keyCountLimits.transientKeys());
        out.number(keyCountLimits.entries());
        out.duration(replicatedSettings.sessionNanos());
        out.signed(replicatedSettings.maxSubscriptions());
    }

    public static ReplicatedSettings read(ByteReader in) throws EncodingException {
        int maxWaiters = in.count();
        long idleNanos = in.duration();
        boolean autoRelease = in.flag();
        int maxListLength = in.count();
        boolean keepsValues = in.flag();
        Map<Key, QueuePolicy> policies = policies(in);
        KeyCountLimits keyCountLimits = new KeyCountLimits(in.number(), in.number(), in.number());
        long sessionNanos = in.duration();
        long maxSubscriptions = in.signed();
        if (idleNanos < 0 || sessionNanos <= 0 || maxSubscriptions != (int) maxSubscriptions) {
            throw in.wrong("invalid replicated settings");
        }
        var engineSettings =
                new EngineSettings(
                        maxWaiters, idleNanos, autoRelease, maxListLength, keepsValues, policies);
        return new ReplicatedSettings(
                engineSettings, keyCountLimits, sessionNanos, (int) maxSubscriptions);
    }

    private static Map<Key, QueuePolicy> policies(ByteReader in) throws EncodingException {
        int count = in.length();
        Map<Key, QueuePolicy> policies = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Key key = in.key();
            if (policies.put(key, policy(in)) != null) {
                throw in.wrong("two policies of one key");
            }
        }
        return policies;
    }

    private static int tag(QueuePolicy queuePolicy) {
        return switch (queuePolicy) {
            case FIFO -> LogEntryTags.FIFO;
            case READER_PREFERRED -> LogEntryTags.READER_PREFERRED;
            case WRITER_PREFERRED -> LogEntryTags.WRITER_PREFERRED;
        };
    }

    private static QueuePolicy policy(ByteReader in) throws EncodingException {
        int tag = in.octet();
        return switch (tag) {
            case LogEntryTags.FIFO -> QueuePolicy.FIFO;
            case LogEntryTags.READER_PREFERRED -> QueuePolicy.READER_PREFERRED;
            case LogEntryTags.WRITER_PREFERRED -> QueuePolicy.WRITER_PREFERRED;
            default -> throw in.wrong("unknown policy %d".formatted(tag));
        };
    }
}
