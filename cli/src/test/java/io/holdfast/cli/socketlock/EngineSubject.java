package io.holdfast.cli.socketlock;

import io.holdfast.cli.socketlock.OutgoingLine.What;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.Key;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.engine.Quotas;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.lock.LockEngine;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The engine, with the server's mapping of lock-ids to request numbers and its record of expired
 * requests.
 */
final class EngineSubject implements ReadWriteSubject {
    private static final Key KEY = Key.of("lock");
    private static final long EXPIRED = -1;

    private interface TrackedCommand {
        Command.OnTrackedRequest of(long session, long request, Key key, long target);
    }

    private final PrimaryConfig primaryConfig;
    private final LockEngine engine;
    private final CountingLedger ledger = new CountingLedger();

    /** Per session, the request number of each lock-id in use, or {@link #EXPIRED}. */
    private final Map<Integer, Map<String, Long>> locks = new HashMap<>();

    private final Map<Integer, Long> engineSessions = new HashMap<>();
    private final Map<Long, Integer> sessions = new HashMap<>();
    private long lastRequest;
    private long now;

    EngineSubject(PrimaryConfig primaryConfig) {
        this.primaryConfig = primaryConfig;
        this.engine =
                new LockEngine(
                        new EngineSettings(0, 0, false, 0, Map.of(KEY, primaryConfig.policy())));
    }

    @Override
    public List<OutgoingLine> request(
            int session, String lock, ReadWriteMode readWriteMode, long ttlSeconds) {
        if (locks(session).containsKey(lock)) {
            return List.of(OutgoingLine.of(session, What.INVALID_ID));
        }
        long request = ++lastRequest;
        locks(session).put(lock, request);
        return apply(
                new Command.RequestOffer(
                        engineSession(session),
                        request,
                        KEY,
                        readWriteMode,
                        primaryConfig.queueNanos(),
                        primaryConfig.confirmNanos(),
                        ttlSeconds == 0 ? Command.FOREVER : TimeUnit.SECONDS.toNanos(ttlSeconds),
                        request));
    }

    @Override
    public List<OutgoingLine> confirm(int session, String lock) {
        return onRequest(session, lock, Command.Confirm::new);
    }

    @Override
    public List<OutgoingLine> decline(int session, String lock) {
        return onRequest(session, lock, Command.Decline::new);
    }

    @Override
    public List<OutgoingLine> release(int session, String lock) {
        List<OutgoingLine> lines = onRequest(session, lock, Command.CancelOrRelease::new);
        locks(session).remove(lock);
        return lines;
    }

    @Override
    public List<OutgoingLine> check(int session, String lock) {
        Long target = locks(session).get(lock);
        if (target == null || target == EXPIRED) {
            locks(session).remove(lock);
            return List.of(new OutgoingLine(session, What.LOCK_TIMEOUT, lock));
        }
        return onRequest(session, lock, Command.QueryStatus::new);
    }

    @Override
    public List<OutgoingLine> close(int session) {
        long closing = engineSession(session);
        locks.remove(session);
        engineSessions.remove(session);
        return apply(new Command.CloseSession(closing, 0));
    }

    @Override
    public List<OutgoingLine> advanceTo(long nanos) {
        now = nanos;
        return apply(new Command.Tick());
    }

    /** Whether all reservations have been returned and no deadline is left. */
    boolean isEmpty() {
        return ledger.taken == 0 && engine.nextDeadlineNanos() == Long.MAX_VALUE;
    }

    private List<OutgoingLine> onRequest(int session, String lock, TrackedCommand command) {
        Long target = locks(session).get(lock);
        if (target == null) {
            return List.of(OutgoingLine.of(session, What.INVALID_ID));
        }
        return target == EXPIRED
                ? List.of()
                : apply(command.of(engineSession(session), ++lastRequest, KEY, target));
    }

    private List<OutgoingLine> apply(Command command) {
        List<Effect> effects = new ArrayList<>();
        engine.apply(command, now, ledger, effects);
        List<OutgoingLine> lines = new ArrayList<>();
        for (Effect effect : effects) {
            addLines(effect, command, lines);
        }
        return lines;
    }

    private void addLines(Effect effect, Command command, List<OutgoingLine> lines) {
        int session = sessions.get(effect.session());
        switch (effect) {
            case Effect.Queued _ -> {}
            case Effect.Offered offered ->
                    lines.add(
                            new OutgoingLine(
                                    session,
                                    offered.mode() == ReadWriteMode.READ
                                            ? What.READ_OFFER
                                            : What.WRITE_OFFER,
                                    lock(session, offered.request())));
            case Effect.TimedOut timedOut -> {
                locks(session).remove(lock(session, timedOut.request()));
                lines.add(OutgoingLine.of(session, What.QUEUE_LIMIT));
            }
            case Effect.OfferExpired lapsed -> {
                locks(session).remove(lock(session, lapsed.request()));
                lines.add(OutgoingLine.of(session, What.CONFIRM_LIMIT));
            }
            case Effect.Expired expired ->
                    locks(session).put(lock(session, expired.request()), EXPIRED);
            case Effect.StatusReport statusReport -> {
                Command.OnTrackedRequest c = (Command.OnTrackedRequest) command;
                String lock = lock(session, c.targetRequest());
                boolean held = statusReport.status() == OfferRequestStatus.HELD;
                if (c instanceof Command.QueryStatus) {
                    What what = held ? What.LOCK_OK : What.LOCK_TIMEOUT;
                    lines.add(new OutgoingLine(session, what, lock));
                } else if (c instanceof Command.Decline && !held) {
                    locks(session).remove(lock);
                    if (statusReport.status() == OfferRequestStatus.OFFERED) {
                        lines.add(OutgoingLine.of(session, What.REJECTED));
                    }
                }
            }
            default -> throw new AssertionError("unexpected effect: " + effect);
        }
    }

    private String lock(int session, long request) {
        return locks(session).entrySet().stream()
                .filter(it -> it.getValue() == request)
                .findAny()
                .orElseThrow()
                .getKey();
    }

    private Map<String, Long> locks(int session) {
        return locks.computeIfAbsent(session, _ -> new HashMap<>());
    }

    private long engineSession(int session) {
        return engineSessions.computeIfAbsent(
                session,
                _ -> {
                    long id = sessions.size() + 1L;
                    sessions.put(id, session);
                    return id;
                });
    }

    /** Unlimited quotas that count the reservations. */
    private static final class CountingLedger implements Quotas {
        private long taken;
        private long fence;

        @Override
        public long nextFence() {
            return ++fence;
        }

        @Override
        public boolean reserveKey(Key key, @Nullable Client client) {
            return reserve();
        }

        @Override
        public void returnKey(Key key, @Nullable Client client) {
            taken--;
        }

        @Override
        public boolean reserveTransientKey(Key key, @Nullable Client client) {
            return reserve();
        }

        @Override
        public void returnTransientKey(Key key, @Nullable Client client) {
            taken--;
        }

        @Override
        public boolean reserveHold(@Nullable Client client) {
            return reserve();
        }

        @Override
        public void returnHold(@Nullable Client client) {
            taken--;
        }

        @Override
        public boolean reserveWait(@Nullable Client client) {
            return reserve();
        }

        @Override
        public void returnWait(@Nullable Client client) {
            taken--;
        }

        @Override
        public void grantWait(@Nullable Client client) {}

        @Override
        public void passHold(@Nullable Client from, @Nullable Client to) {}

        @Override
        public boolean reserveEntry(Key key, @Nullable Client client) {
            return reserve();
        }

        @Override
        public void returnEntry(Key key, @Nullable Client client) {
            taken--;
        }

        @Override
        public boolean reserveContent(int bytes) {
            return reserve();
        }

        @Override
        public void returnContent(int bytes) {
            taken--;
        }

        private boolean reserve() {
            taken++;
            return true;
        }
    }
}
