package io.holdfast.cli.socketlock;

import io.holdfast.cli.socketlock.OutgoingLine.What;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.socketlock.EmbeddedConversations;
import io.holdfast.socketlock.EmbeddedConversations.SentLine;
import io.holdfast.socketlock.LockConfig;
import io.holdfast.socketlock.SocketLockQueuePolicy;

import java.time.Duration;
import java.util.List;

/** The embedded primary, driven by protocol lines. */
final class EmbeddedSubject implements ReadWriteSubject {
    private final EmbeddedConversations primary;
    private long now;

    EmbeddedSubject(PrimaryConfig primaryConfig) {
        primary =
                new EmbeddedConversations(
                        LockConfig.builder()
                                .policy(
                                        SocketLockQueuePolicy.valueOf(
                                                primaryConfig.policy().name()))
                                .requestTimeout(Duration.ofNanos(primaryConfig.queueNanos()))
                                .confirmTimeout(Duration.ofNanos(primaryConfig.confirmNanos()))
                                .build());
    }

    @Override
    public List<OutgoingLine> request(
            int session, String lock, ReadWriteMode readWriteMode, long ttlSeconds) {
        String seconds = ttlSeconds == 0 ? "" : " " + ttlSeconds;
        return line(session, "REQ" + readWriteMode + " " + lock + seconds);
    }

    @Override
    public List<OutgoingLine> confirm(int session, String lock) {
        return line(session, "CONFIRM " + lock);
    }

    @Override
    public List<OutgoingLine> decline(int session, String lock) {
        return line(session, "REJECT " + lock);
    }

    @Override
    public List<OutgoingLine> release(int session, String lock) {
        return line(session, "RELEASE " + lock);
    }

    @Override
    public List<OutgoingLine> check(int session, String lock) {
        return line(session, "STATUS " + lock);
    }

    @Override
    public List<OutgoingLine> close(int session) {
        return lines(primary.close(session, now));
    }

    @Override
    public List<OutgoingLine> advanceTo(long nanos) {
        now = nanos;
        return lines(primary.advance(now));
    }

    /** Whether nothing is queued, offered or held. */
    boolean isEmpty() {
        return primary.isEmpty();
    }

    private List<OutgoingLine> line(int session, String text) {
        return lines(primary.line(session, text, now));
    }

    private static List<OutgoingLine> lines(List<SentLine> sent) {
        return sent.stream().map(EmbeddedSubject::toOutgoingLine).toList();
    }

    private static OutgoingLine toOutgoingLine(SentLine sent) {
        String[] fields = sent.text().split(" ", 2);
        return switch (fields[0]) {
            case "READLOCK" -> new OutgoingLine(sent.client(), What.READ_OFFER, fields[1]);
            case "WRITELOCK" -> new OutgoingLine(sent.client(), What.WRITE_OFFER, fields[1]);
            case "LOCKOK" -> new OutgoingLine(sent.client(), What.LOCK_OK, fields[1]);
            case "LOCKTIMEOUT" -> new OutgoingLine(sent.client(), What.LOCK_TIMEOUT, fields[1]);
            case "REQFAIL" -> OutgoingLine.of(sent.client(), failure(fields[1]));
            default -> throw new AssertionError("unexpected line: " + sent);
        };
    }

    private static What failure(String reason) {
        return switch (reason) {
            case "timeout waiting for lock" -> What.QUEUE_LIMIT;
            case "timeout waiting for confirm" -> What.CONFIRM_LIMIT;
            case "offer rejected" -> What.REJECTED;
            case "invalid lock id" -> What.INVALID_ID;
            default -> throw new AssertionError("unexpected line: " + reason);
        };
    }
}
