package io.holdfast.cli.socketlock;

import io.holdfast.cli.socketlock.OutgoingLine.What;
import io.holdfast.engine.ReadWriteMode;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A direct model of the protocol's description of one lock: a list of requests in order of arrival,
 * which every operation scans completely.
 */
final class ReadWriteModel implements ReadWriteSubject {
    static final long NEVER = Long.MAX_VALUE;

    enum State {
        QUEUED,
        OFFERED,
        HELD,
        /** Its TTL has ended, but the client has not been notified. */
        EXPIRED
    }

    private static final class Request {
        final int session;
        final String lock;
        final ReadWriteMode mode;
        final long ttlSeconds;
        State state = State.QUEUED;
        long deadline;

        Request(int session, String lock, ReadWriteMode readWriteMode, long ttlSeconds) {
            this.session = session;
            this.lock = lock;
            this.mode = readWriteMode;
            this.ttlSeconds = ttlSeconds;
        }
    }

    /** Identifies a request. */
    record RequestId(int session, String lock) {}

    private final PrimaryConfig primaryConfig;
    private final List<Request> requests = new ArrayList<>();
    private List<OutgoingLine> outgoing = new ArrayList<>();
    private long now;

    ReadWriteModel(PrimaryConfig primaryConfig) {
        this.primaryConfig = primaryConfig;
    }

    @Override
    public List<OutgoingLine> request(
            int session, String lock, ReadWriteMode readWriteMode, long ttlSeconds) {
        if (find(session, lock).isPresent()) {
            return List.of(OutgoingLine.of(session, What.INVALID_ID));
        }
        Request request = new Request(session, lock, readWriteMode, ttlSeconds);
        request.deadline = now + primaryConfig.queueNanos();
        requests.add(request);
        return offerNext();
    }

    @Override
    public List<OutgoingLine> confirm(int session, String lock) {
        Optional<Request> found = find(session, lock);
        if (found.isEmpty()) {
            return List.of(OutgoingLine.of(session, What.INVALID_ID));
        }
        Request request = found.get();
        if (request.state == State.OFFERED) {
            request.state = State.HELD;
            request.deadline =
                    request.ttlSeconds == 0
                            ? NEVER
                            : now + TimeUnit.SECONDS.toNanos(request.ttlSeconds);
        }
        return offerNext();
    }

    @Override
    public List<OutgoingLine> decline(int session, String lock) {
        Optional<Request> found = find(session, lock);
        if (found.isEmpty()) {
            return List.of(OutgoingLine.of(session, What.INVALID_ID));
        }
        Request request = found.get();
        switch (request.state) {
            case QUEUED -> requests.remove(request);
            case OFFERED -> {
                requests.remove(request);
                outgoing.add(OutgoingLine.of(session, What.REJECTED));
            }
            case HELD, EXPIRED -> {}
        }
        return offerNext();
    }

    @Override
    public List<OutgoingLine> release(int session, String lock) {
        Optional<Request> found = find(session, lock);
        if (found.isEmpty()) {
            return List.of(OutgoingLine.of(session, What.INVALID_ID));
        }
        requests.remove(found.get());
        return offerNext();
    }

    @Override
    public List<OutgoingLine> check(int session, String lock) {
        Optional<Request> found = find(session, lock);
        boolean held = found.filter(it -> it.state == State.HELD).isPresent();
        found.filter(it -> it.state == State.EXPIRED).ifPresent(requests::remove);
        return List.of(new OutgoingLine(session, held ? What.LOCK_OK : What.LOCK_TIMEOUT, lock));
    }

    @Override
    public List<OutgoingLine> close(int session) {
        requests.removeIf(it -> it.session == session);
        return offerNext();
    }

    @Override
    public List<OutgoingLine> advanceTo(long nanos) {
        now = nanos;
        for (Optional<Request> due = due(); due.isPresent(); due = due()) {
            Request request = due.get();
            switch (request.state) {
                case QUEUED -> {
                    requests.remove(request);
                    outgoing.add(OutgoingLine.of(request.session, What.QUEUE_LIMIT));
                }
                case OFFERED -> {
                    requests.remove(request);
                    outgoing.add(OutgoingLine.of(request.session, What.CONFIRM_LIMIT));
                }
                case HELD -> {
                    request.state = State.EXPIRED;
                    request.deadline = NEVER;
                }
                case EXPIRED -> throw new AssertionError("it has no limit");
            }
            offer();
        }
        return offerNext();
    }

    private Optional<Request> due() {
        return requests.stream()
                .filter(it -> it.deadline <= now)
                .min(Comparator.comparingLong(it -> it.deadline));
    }

    private List<OutgoingLine> offerNext() {
        offer();
        List<OutgoingLine> lines = outgoing;
        outgoing = new ArrayList<>();
        return lines;
    }

    private void offer() {
        next().ifPresent(
                        it -> {
                            it.state = State.OFFERED;
                            it.deadline = now + primaryConfig.confirmNanos();
                            What what =
                                    it.mode == ReadWriteMode.READ
                                            ? What.READ_OFFER
                                            : What.WRITE_OFFER;
                            outgoing.add(new OutgoingLine(it.session, what, it.lock));
                        });
    }

    private Optional<Request> next() {
        if (in(State.OFFERED).findAny().isPresent()
                || in(State.HELD).anyMatch(it -> it.mode == ReadWriteMode.WRITE)) {
            return Optional.empty();
        }
        Optional<Request> read =
                in(State.QUEUED).filter(it -> it.mode == ReadWriteMode.READ).findFirst();
        Optional<Request> write =
                in(State.QUEUED).filter(it -> it.mode == ReadWriteMode.WRITE).findFirst();
        boolean mayWrite = in(State.HELD).findAny().isEmpty();
        return switch (primaryConfig.policy()) {
            case READER_PREFERRED -> read.isPresent() ? read : write.filter(_ -> mayWrite);
            case WRITER_PREFERRED -> write.isPresent() ? write.filter(_ -> mayWrite) : read;
            case FIFO ->
                    in(State.QUEUED)
                            .findFirst()
                            .filter(it -> it.mode == ReadWriteMode.READ || mayWrite);
        };
    }

    private Stream<Request> in(State state) {
        return requests.stream().filter(it -> it.state == state);
    }

    private Optional<Request> find(int session, String lock) {
        return requests.stream()
                .filter(it -> it.session == session && it.lock.equals(lock))
                .findAny();
    }

    // ---- for the generator of the next action

    long nextDeadline() {
        return requests.stream().mapToLong(it -> it.deadline).min().orElse(NEVER);
    }

    List<RequestId> ids(State state) {
        return in(state).map(it -> new RequestId(it.session, it.lock)).toList();
    }

    boolean isEmpty() {
        return requests.isEmpty();
    }

    /** Whether the invariants hold. */
    boolean isSafe() {
        List<Request> inside =
                requests.stream()
                        .filter(it -> it.state == State.OFFERED || it.state == State.HELD)
                        .toList();
        return in(State.OFFERED).count() <= 1
                && (inside.size() <= 1
                        || inside.stream().allMatch(it -> it.mode == ReadWriteMode.READ));
    }
}
