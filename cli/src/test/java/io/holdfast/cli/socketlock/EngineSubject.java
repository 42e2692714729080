package io.holdfast.cli.socketlock;

import io.holdfast.cli.socketlock.Telling.What;
import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.Key;
import io.holdfast.engine.Ledger;
import io.holdfast.engine.LockEngine;
import io.holdfast.engine.Mode;
import io.holdfast.engine.Settings;
import io.holdfast.engine.Stand;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The engine, with what a server adds to it: lock-ids for request numbers, and the memory of those
 * whose TTL is over.
 */
final class EngineSubject implements ReadWriteSubject {
    private static final Key KEY = Key.of("lock");
    private static final long EXPIRED = -1;

    private interface Settling {
        Command.Asked of(long session, long request, Key key, long asked);
    }

    private final Rules rules;
    private final LockEngine engine;
    private final CountingLedger ledger = new CountingLedger();

    /** By session, the request of each lock-id in use, or {@link #EXPIRED}. */
    private final Map<Integer, Map<String, Long>> locks = new HashMap<>();

    private final Map<Integer, Long> engineSessions = new HashMap<>();
    private final Map<Long, Integer> sessions = new HashMap<>();
    private long lastRequest;
    private long now;

    EngineSubject(Rules rules) {
        this.rules = rules;
        this.engine = new LockEngine(new Settings(0, 0, false, 0, Map.of(KEY, rules.policy())));
    }

    @Override
    public List<Telling> ask(int session, String lock, Mode mode, long ttlSeconds) {
        if (locks(session).containsKey(lock)) {
            return List.of(Telling.of(session, What.INVALID_ID));
        }
        long request = ++lastRequest;
        locks(session).put(lock, request);
        return tell(
                new Command.Ask(
                        engineSession(session),
                        request,
                        KEY,
                        mode,
                        rules.queueNanos(),
                        rules.confirmNanos(),
                        ttlSeconds == 0 ? Command.FOREVER : TimeUnit.SECONDS.toNanos(ttlSeconds),
                        request));
    }

    @Override
    public List<Telling> confirm(int session, String lock) {
        return settle(session, lock, Command.Confirm::new);
    }

    @Override
    public List<Telling> decline(int session, String lock) {
        return settle(session, lock, Command.Decline::new);
    }

    @Override
    public List<Telling> giveUp(int session, String lock) {
        List<Telling> tellings = settle(session, lock, Command.GiveUp::new);
        locks(session).remove(lock);
        return tellings;
    }

    @Override
    public List<Telling> check(int session, String lock) {
        Long asked = locks(session).get(lock);
        if (asked == null || asked == EXPIRED) {
            locks(session).remove(lock);
            return List.of(new Telling(session, What.LOCK_TIMEOUT, lock));
        }
        return settle(session, lock, Command.Check::new);
    }

    @Override
    public List<Telling> close(int session) {
        long closing = engineSession(session);
        locks.remove(session);
        engineSessions.remove(session);
        return tell(new Command.CloseSession(closing, 0));
    }

    @Override
    public List<Telling> advanceTo(long nanos) {
        now = nanos;
        return tell(new Command.Tick());
    }

    /** Whether everything has been given back. */
    boolean isEmpty() {
        return ledger.taken == 0 && engine.nextDeadlineNanos() == Long.MAX_VALUE;
    }

    private List<Telling> settle(int session, String lock, Settling command) {
        Long asked = locks(session).get(lock);
        if (asked == null) {
            return List.of(Telling.of(session, What.INVALID_ID));
        }
        return asked == EXPIRED
                ? List.of()
                : tell(command.of(engineSession(session), ++lastRequest, KEY, asked));
    }

    private List<Telling> tell(Command command) {
        List<Effect> effects = new ArrayList<>();
        engine.apply(command, now, ledger, effects);
        List<Telling> tellings = new ArrayList<>();
        for (Effect effect : effects) {
            tell(effect, command, tellings);
        }
        return tellings;
    }

    private void tell(Effect effect, Command command, List<Telling> tellings) {
        int session = sessions.get(effect.session());
        switch (effect) {
            case Effect.Queued _ -> {}
            case Effect.Offered offered ->
                    tellings.add(
                            new Telling(
                                    session,
                                    offered.mode() == Mode.READ
                                            ? What.READ_OFFER
                                            : What.WRITE_OFFER,
                                    lock(session, offered.request())));
            case Effect.TimedOut timedOut -> {
                locks(session).remove(lock(session, timedOut.request()));
                tellings.add(Telling.of(session, What.QUEUE_LIMIT));
            }
            case Effect.OfferLapsed lapsed -> {
                locks(session).remove(lock(session, lapsed.request()));
                tellings.add(Telling.of(session, What.CONFIRM_LIMIT));
            }
            case Effect.Expired expired ->
                    locks(session).put(lock(session, expired.request()), EXPIRED);
            case Effect.Standing standing -> {
                Command.Asked c = (Command.Asked) command;
                String lock = lock(session, c.asked());
                boolean held = standing.stand() == Stand.HELD;
                if (c instanceof Command.Check) {
                    What what = held ? What.LOCK_OK : What.LOCK_TIMEOUT;
                    tellings.add(new Telling(session, what, lock));
                } else if (c instanceof Command.Decline && !held) {
                    locks(session).remove(lock);
                    if (standing.stand() == Stand.OFFERED) {
                        tellings.add(Telling.of(session, What.REJECTED));
                    }
                }
            }
            default -> throw new AssertionError("nobody asked for " + effect);
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

    /** Has room for everything, and counts it. */
    private static final class CountingLedger implements Ledger {
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
        public boolean reserveClaim(Key key, @Nullable Client client) {
            return reserve();
        }

        @Override
        public void returnClaim(Key key, @Nullable Client client) {
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
