package io.holdfast.cli.socketlock;

import io.holdfast.cli.socketlock.OutgoingLine.What;
import io.holdfast.client.socketlock.EmbeddedConversations;
import io.holdfast.client.socketlock.EmbeddedConversations.Said;
import io.holdfast.client.socketlock.LockConfig;
import io.holdfast.client.socketlock.Policy;
import io.holdfast.engine.ReadWriteMode;

import java.time.Duration;
import java.util.List;

/** The embedded primary, by its lines. */
final class EmbeddedSubject implements ReadWriteSubject {
    private final EmbeddedConversations primary;
    private long now;

    EmbeddedSubject(PrimaryConfig primaryConfig) {
        primary =
                new EmbeddedConversations(
                        LockConfig.builder()
                                .policy(Policy.valueOf(primaryConfig.policy().name()))
                                .requestTimeout(Duration.ofNanos(primaryConfig.queueNanos()))
                                .confirmTimeout(Duration.ofNanos(primaryConfig.confirmNanos()))
                                .build());
    }

    @Override
    public List<OutgoingLine> ask(
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
    public List<OutgoingLine> giveUp(int session, String lock) {
        return line(session, "RELEASE " + lock);
    }

    @Override
    public List<OutgoingLine> check(int session, String lock) {
        return line(session, "STATUS " + lock);
    }

    @Override
    public List<OutgoingLine> close(int session) {
        return tellings(primary.close(session, now));
    }

    @Override
    public List<OutgoingLine> advanceTo(long nanos) {
        now = nanos;
        return tellings(primary.settle(now));
    }

    /** Whether everything has been given back. */
    boolean isEmpty() {
        return primary.isEmpty();
    }

    private List<OutgoingLine> line(int session, String text) {
        return tellings(primary.line(session, text, now));
    }

    private static List<OutgoingLine> tellings(List<Said> said) {
        return said.stream().map(EmbeddedSubject::telling).toList();
    }

    private static OutgoingLine telling(Said said) {
        String[] words = said.text().split(" ", 2);
        return switch (words[0]) {
            case "READLOCK" -> new OutgoingLine(said.client(), What.READ_OFFER, words[1]);
            case "WRITELOCK" -> new OutgoingLine(said.client(), What.WRITE_OFFER, words[1]);
            case "LOCKOK" -> new OutgoingLine(said.client(), What.LOCK_OK, words[1]);
            case "LOCKTIMEOUT" -> new OutgoingLine(said.client(), What.LOCK_TIMEOUT, words[1]);
            case "REQFAIL" -> OutgoingLine.of(said.client(), failure(words[1]));
            default -> throw new AssertionError("nobody asked for " + said);
        };
    }

    private static What failure(String reason) {
        return switch (reason) {
            case "timeout waiting for lock" -> What.QUEUE_LIMIT;
            case "timeout waiting for confirm" -> What.CONFIRM_LIMIT;
            case "offer rejected" -> What.REJECTED;
            case "invalid lock id" -> What.INVALID_ID;
            default -> throw new AssertionError("nobody asked for " + reason);
        };
    }
}
