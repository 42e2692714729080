package io.holdfast.engine;

import org.jspecify.annotations.Nullable;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The state machine of locks and data. Equal commands at equal times with equal ledgers give equal
 * effects and equal state, on every replica and on every replay. One thread at a time.
 *
 * <p>Cost does not depend on the number of keys, waiters, sessions and deadlines, but for two rare
 * steps that visit all of them: other settings, and the end of a quarantine.
 */
public final class LockEngine {
    private Settings settings;
    private final EngineState state;
    private final EngineViews views;
    private final Map<Key, Resource> mutexes;
    private final Map<Long, Session> sessions;
    private final Deadlines deadlines;
    private final Deadlines idleEnds;
    private final DataStore data;

    /** While it lasts, nothing that excludes others is granted; null if there is none. */
    private @Nullable Quarantine quarantine;

    /** Where what happens is told, if anybody wants to know. */
    private @Nullable List<Event> events;

    public LockEngine(Settings settings) {
        this(settings, new EngineState(settings));
    }

    private LockEngine(Settings settings, EngineState state) {
        this.settings = settings;
        this.state = state;
        this.views = new EngineViews(state);
        this.mutexes = state.mutexes;
        this.sessions = state.sessions;
        this.deadlines = state.deadlines;
        this.idleEnds = state.idleEnds;
        this.data = state.data;
    }

    /** Goes on by other settings. Takes its time, if others are to be forgotten, or sooner. */
    public void configure(Settings next) {
        boolean same = settings.idleNanos() == next.idleNanos();
        settings = next;
        data.configure(next);
        for (Roster.Node node = state.all.first(); node != null && !same; node = node.after()) {
            if (node instanceof Resource resource) {
                idleEnds.remove(resource);
                if (resource.isUnused() && !resource.suspended && resource.lasting) {
                    idleEnds.schedule(resource, settings.idleEnd(resource.lastActivityNanos));
                }
            }
        }
    }

    /**
     * Until a time, grants and offers nothing that excludes others: acquires are queued, and those
     * that do not wait are answered as if the key were held. For an engine that begins without what
     * the one before it knew. A later call replaces the time. No part of its state: {@link #write}
     * leaves it out.
     */
    public void quarantine(long untilNanos) {
        if (quarantine != null) {
            deadlines.remove(quarantine);
        }
        quarantine = new Quarantine();
        deadlines.schedule(quarantine, untilNanos);
    }

    /**
     * Writes the whole state, so that {@link #read} makes an engine that goes on just like this.
     * Small pieces are written one after the other: there should be a buffer behind.
     */
    public void write(DataOutput out) throws IOException {
        new StateWriter(state, out).write();
    }

    /**
     * Makes an engine of what {@link #write} wrote, and reads no further.
     *
     * @param settings that the engine had; for others, {@link #configure} it afterwards
     */
    public static LockEngine read(DataInput in, Settings settings) throws IOException {
        EngineState state = new EngineState(settings);
        new StateReader(state, in).read();
        return new LockEngine(settings, state);
    }

    /** Reserves everything that there is, with a ledger that begins anew and refuses nothing. */
    public void reserveAll(Ledger ledger) {
        for (Roster.Node node = state.all.first(); node != null; node = node.after()) {
            if (!(node instanceof Resource resource)) {
                continue;
            }
            boolean _ =
                    resource.lasting
                            ? ledger.reserveKey(resource.key, resource.creator)
                            : ledger.reserveClaim(resource.key, resource.creator);
            for (Hold hold : resource.holds()) {
                boolean _ = ledger.reserveHold(hold.session.client(ledger));
            }
            resource.eachWait(wait -> ledger.reserveWait(wait.session.client(ledger)));
        }
        data.reserveAll(ledger);
    }

    /** From now on, what happens to keys is added to a list, in order. Nothing depends on it. */
    public void report(List<Event> to) {
        events = to;
    }

    /**
     * Applies a command at a time, which never goes back, and adds what follows from it to {@code
     * effects}, in order.
     */
    public void apply(Command command, long now, Ledger ledger, List<Effect> effects) {
        apply(command, now, now, ledger, effects);
    }

    /**
     * Applies a command like {@link #apply(Command, long, Ledger, List)}, but ends only what was
     * due at an earlier time. What has become due since then stays until a later command: a lease
     * can still be renewed, and what is held is not granted to another.
     */
    public void apply(
            Command command, long now, long dueNanos, Ledger ledger, List<Effect> effects) {
        state.nowNanos = Math.max(state.nowNanos, now);
        // First: no rule below meets a holder whose time is up.
        endWhatIsDue(dueNanos < now ? dueNanos : state.nowNanos, ledger, effects);
        switch (command) {
            case Command.Acquire acquire -> acquire(acquire, ledger, effects);
            case Command.Enqueue enqueue -> enqueue(enqueue, ledger, effects);
            case Command.Await await -> await(await, ledger, effects);
            case Command.Release release -> release(release, ledger, effects);
            case Command.Renew renew -> renew(renew, effects);
            case Command.Claim claim -> claim(claim, ledger, effects);
            case Command.Unclaim unclaim -> unclaim(unclaim, ledger, effects);
            case Command.Inspect inspect -> inspect(inspect, effects);
            case Command.Evict evict -> evict(evict, ledger, effects);
            case Command.Cancel cancel -> cancel(cancel, ledger, effects);
            case Command.Ask ask -> ask(ask, ledger, effects);
            case Command.Asked asked -> settle(asked, ledger, effects);
            case Command.Suspend suspend -> suspend(suspend, ledger, effects);
            case Command.Resume resume -> resume(resume, ledger, effects);
            case Command.Reassert reassert -> reassert(reassert, ledger, effects);
            case Command.Data operation ->
                    effects.add(data.apply(operation, state.nowNanos, ledger));
            case Command.CloseSession close -> close(close, ledger, effects);
            case Command.Tick() -> {}
            case Command.Collect(int most) -> collect(most, ledger);
        }
    }

    /** When a {@link Command.Tick} is due at the latest; {@link Long#MAX_VALUE} if never. */
    public long nextDeadlineNanos() {
        return Math.min(deadlines.next(), data.nextDeadlineNanos());
    }

    /** Whether a {@link Command.Collect} may find anything. */
    public boolean hasCollectable(long now) {
        long before = collectBefore(Math.max(state.nowNanos, now));
        return idleEnds.next() <= before || data.hasCollectable(before);
    }

    /** Whether anything of a session is left. */
    public boolean hasSession(long session) {
        return sessions.containsKey(session);
    }

    /** What can be seen of it; the same object every time. */
    public EngineViews views() {
        return views;
    }

    private void acquire(Command.Acquire c, Ledger ledger, List<Effect> effects) {
        Session known = sessions.get(c.session());
        Ledger.Client client = client(known, c, ledger);
        Resource resource = admit(c, c.limit(), c.terms().mode(), client, ledger, effects);
        if (resource == null) {
            return;
        }
        Session session = known == null ? state.session(c.session(), client) : known;
        if (isFree(resource, c.terms().mode()) && !isQuarantined(c.kind())) {
            share(resource, c.terms());
            Hold hold =
                    grant(
                            resource,
                            session,
                            c.request(),
                            c.salt(),
                            c.leaseNanos(),
                            c.terms(),
                            state.nowNanos,
                            ledger);
            effects.add(granted(hold, c.request()));
        } else if (isLineFull(resource)) {
            refuse(c, Refusal.TOO_MANY_WAITERS, effects);
        } else if (c.waitNanos() == 0) {
            effects.add(new Effect.TimedOut(c.session(), c.request()));
            tell(Event.Type.TIMED_OUT, resource, session, c.terms().mode(), 0, 0, 0);
        } else if (!ledger.reserveWait(client)) {
            refuse(c, Refusal.TOO_MANY_WAITERS, effects);
        } else {
            Wait wait =
                    Wait.of(
                            resource,
                            session,
                            c.request(),
                            c.salt(),
                            c.leaseNanos(),
                            false,
                            c.terms());
            share(resource, c.terms());
            line(wait);
            tell(Event.Type.WAITING, wait);
            deadlines.schedule(wait, after(c.waitNanos()));
        }
        rest(resource, ledger);
    }

    private void share(Resource resource, Terms terms) {
        if (terms.mode() == Mode.READ && resource instanceof Mutex mutex) {
            mutex.share(settings.policy(mutex.key));
        }
    }

    private void enqueue(Command.Enqueue c, Ledger ledger, List<Effect> effects) {
        Resource known = state.space(c.kind()).get(c.key());
        if (known != null && state.session(c.session()).enqueued(known) != null) {
            refuse(c, Refusal.ALREADY_ENQUEUED, effects);
            return;
        }
        Ledger.Client client = client(sessions.get(c.session()), c, ledger);
        Resource resource = admit(c, c.limit(), c.mode(), client, ledger, effects);
        if (resource == null) {
            return;
        }
        Session session = state.session(c.session(), client);
        Terms terms = Terms.of(c.mode());
        if (isFree(resource, c.mode()) && !isQuarantined(c.kind())) {
            share(resource, terms);
            Hold hold =
                    grant(
                            resource,
                            session,
                            c.request(),
                            c.salt(),
                            c.leaseNanos(),
                            terms,
                            state.nowNanos,
                            ledger);
            session.recordEnqueue(resource, hold);
            effects.add(granted(hold, c.request()));
        } else if (isLineFull(resource) || !ledger.reserveWait(client)) {
            refuse(c, Refusal.TOO_MANY_WAITERS, effects);
        } else {
            Wait wait =
                    Wait.of(resource, session, Wait.NOBODY, c.salt(), c.leaseNanos(), true, terms);
            share(resource, terms);
            line(wait);
            tell(Event.Type.WAITING, wait);
            session.recordEnqueue(resource, wait);
            effects.add(new Effect.Queued(c.session(), c.request()));
        }
        rest(resource, ledger);
    }

    private void await(Command.Await c, Ledger ledger, List<Effect> effects) {
        Resource resource = state.space(c.kind()).get(c.key());
        Session session = sessions.get(c.session());
        Place place = resource == null || session == null ? null : session.enqueued(resource);
        if (resource == null || session == null || place == null) {
            refuse(c, Refusal.NOT_ENQUEUED, effects);
            return;
        }
        resource.lastActivityNanos = state.nowNanos;
        switch (place) {
            case Hold hold -> {
                session.endEnqueue(resource, hold);
                hold.request = c.request();
                if (hold.toldBy == 0) {
                    hold.toldBy = c.request();
                }
                deadlines.schedule(hold, after(hold.leaseNanos));
                effects.add(granted(hold, c.request()));
            }
            case Wait wait -> {
                if (wait.isAwaited()) { // who awaits it already gets an answer too
                    effects.add(new Effect.Cancelled(c.session(), wait.request));
                }
                wait.request = c.request();
                if (c.waitNanos() == 0) {
                    timeOut(wait, ledger, effects);
                } else {
                    deadlines.schedule(wait, after(c.waitNanos()));
                }
            }
        }
    }

    private void release(Command.Release c, Ledger ledger, List<Effect> effects) {
        Hold hold = find(c.kind(), c.key(), c.token());
        if (hold == null) {
            refuse(c, Refusal.NOT_HELD, effects);
            return;
        }
        effects.add(new Effect.Released(c.session(), c.request()));
        boolean revoked = hold.isTracked() && hold.session.id != c.session();
        if (revoked) {
            effects.add(new Effect.Revoked(hold.session.id, hold.request));
        }
        end(hold, revoked ? Event.Type.LOST : Event.Type.RELEASED, ledger, effects);
    }

    private void evict(Command.Evict c, Ledger ledger, List<Effect> effects) {
        Resource resource = state.space(c.kind()).get(c.key());
        List<Hold> evicted = new ArrayList<>();
        if (resource != null) {
            for (Hold hold : resource.holds()) {
                if (c.fence() == 0 || c.fence() == hold.fence) {
                    evicted.add(hold);
                }
            }
        }
        if (evicted.isEmpty()) {
            refuse(c, Refusal.NOT_HELD, effects);
            return;
        }
        List<Effect.Evicted.Loss> lost =
                evicted.stream()
                        .map(hold -> new Effect.Evicted.Loss(hold.session.id, hold.fence))
                        .toList();
        effects.add(new Effect.Evicted(c.session(), c.request(), lost, ledger.nextFence()));
        for (Hold hold : evicted) {
            if (hold.isTracked()) {
                effects.add(new Effect.Revoked(hold.session.id, hold.request));
            }
            end(hold, Event.Type.LOST, ledger, effects);
        }
    }

    private void renew(Command.Renew c, List<Effect> effects) {
        Hold hold = find(c.kind(), c.key(), c.token());
        if (hold == null) {
            refuse(c, Refusal.NOT_HELD, effects);
            return;
        }
        hold.resource.lastActivityNanos = state.nowNanos;
        deadlines.schedule(hold, after(c.leaseNanos()));
        hold.heir = heir(hold, c);
        effects.add(new Effect.Renewed(c.session(), c.request(), c.leaseNanos()));
    }

    /** Nobody, if the session renews its own, or there is no session whose end it goes by. */
    private @Nullable Heir heir(Hold hold, Command.Renew c) {
        if (hold.session.id == c.session()
                || !hold.terms().bound()
                || sessions.get(hold.session.id) != hold.session) {
            return null;
        }
        Session session = state.session(c.session()); // it can be asked later whether it is there
        return new Heir(session.id, c.request(), state.nowNanos);
    }

    private void claim(Command.Claim c, Ledger ledger, List<Effect> effects) {
        Resource resource = state.space(c.kind()).get(c.key());
        if (resource != null && resource.holdOf(c.session()) != null) {
            effects.add(new Effect.Claimed(c.session(), c.request(), false, resource.holders()));
            return;
        }
        if (isQuarantined(c.kind()) || (resource != null && !isFree(resource))) {
            refuse(c, Refusal.BUSY, effects);
            return;
        }
        Session known = sessions.get(c.session());
        Ledger.Client client = client(known, c, ledger);
        if (!ledger.reserveHold(client)) {
            refuse(c, Refusal.TOO_MANY_KEYS, effects);
            return;
        }
        if (resource == null) {
            if (!ledger.reserveClaim(c.key(), client)) {
                ledger.returnHold(client);
                refuse(c, Refusal.TOO_MANY_KEYS, effects);
                return;
            }
            resource = state.add(c.kind(), c.key(), 1);
            resource.creator = client;
        }
        resource.lastActivityNanos = state.nowNanos;
        Session session = known == null ? state.session(c.session(), client) : known;
        Hold _ =
                grant(
                        resource,
                        session,
                        c.request(),
                        c.salt(),
                        Command.FOREVER,
                        Terms.PLAIN,
                        state.nowNanos,
                        ledger);
        effects.add(new Effect.Claimed(c.session(), c.request(), true, resource.holders()));
    }

    /** Of the session that sends a command, which the engine may not know yet. */
    private static Ledger.@Nullable Client client(
            @Nullable Session session, Command.Keyed c, Ledger ledger) {
        return session == null ? ledger.client(c.session()) : session.client(ledger);
    }

    private void unclaim(Command.Unclaim c, Ledger ledger, List<Effect> effects) {
        Resource resource = state.space(c.kind()).get(c.key());
        Hold hold = resource == null ? null : resource.holdOf(c.session());
        if (hold == null) {
            refuse(c, Refusal.NOT_HELD, effects);
            return;
        }
        effects.add(new Effect.Released(c.session(), c.request()));
        end(hold, Event.Type.RELEASED, ledger, effects);
    }

    private void inspect(Command.Inspect c, List<Effect> effects) {
        Resource resource = state.space(c.kind()).get(c.key());
        boolean own = resource != null && resource.holdOf(c.session()) != null;
        int holders = resource == null ? 0 : resource.holders();
        effects.add(new Effect.Inspected(c.session(), c.request(), holders, own));
    }

    private void cancel(Command.Cancel c, Ledger ledger, List<Effect> effects) {
        Resource resource = state.space(c.kind()).get(c.key());
        Session session = sessions.get(c.session());
        if (resource == null || session == null) {
            return;
        }
        for (Wait wait = session.lastWait; wait != null; wait = wait.before) {
            if (wait.request == c.request() && wait.resource == resource) {
                withdraw(wait);
                tell(Event.Type.GAVE_UP, wait);
                ledger.returnWait(session.client(ledger));
                effects.add(new Effect.Cancelled(c.session(), c.request()));
                serve(resource, ledger, effects);
                rest(resource, ledger);
                return;
            }
        }
        for (Hold hold = session.lastHold; hold != null; hold = hold.before) {
            if (hold.request == c.request() && hold.resource == resource) {
                effects.add(new Effect.Cancelled(c.session(), c.request()));
                end(hold, ownEnd(hold), ledger, effects);
                return;
            }
        }
    }

    private void ask(Command.Ask c, Ledger ledger, List<Effect> effects) {
        Resource known = mutexes.get(c.key());
        Ledger.Client client = client(sessions.get(c.session()), c, ledger);
        if (!ledger.reserveWait(client)) {
            Refusal reason = known == null ? Refusal.TOO_MANY_KEYS : Refusal.TOO_MANY_WAITERS;
            refuse(c, reason, effects);
            return;
        }
        Mutex mutex = named(known, c.key(), client, ledger);
        if (mutex == null) {
            ledger.returnWait(client);
            refuse(c, Refusal.TOO_MANY_KEYS, effects);
            return;
        }
        boolean full = isLineFull(mutex);
        mutex.share(settings.policy(c.key()));
        AskWait wait =
                new AskWait(
                        mutex,
                        state.session(c.session(), client),
                        c.request(),
                        c.salt(),
                        c.leaseNanos(),
                        c.mode(),
                        c.confirmNanos());
        line(wait);
        boolean next = !isQuarantined(Kind.MUTEX) && mutex.next() == wait;
        if (full && !next) {
            withdraw(wait);
            ledger.returnWait(client);
            refuse(c, Refusal.TOO_MANY_WAITERS, effects);
            return;
        }
        mutex.lastActivityNanos = state.nowNanos;
        effects.add(new Effect.Queued(c.session(), c.request()));
        if (next) {
            serve(mutex, ledger, effects);
        } else if (c.waitNanos() == 0) {
            timeOut(wait, ledger, effects);
        } else {
            tell(Event.Type.WAITING, wait);
            deadlines.schedule(wait, after(c.waitNanos()));
        }
    }

    /** The mutex of a name, made if need be without being remembered; null if there is no room. */
    private @Nullable Mutex named(
            @Nullable Resource known, Key key, Ledger.@Nullable Client client, Ledger ledger) {
        if (known != null) {
            return (Mutex) known;
        }
        if (!ledger.reserveClaim(key, client)) {
            return null;
        }
        Resource made = state.add(Kind.MUTEX, key, 1);
        made.creator = client;
        return (Mutex) made;
    }

    private void settle(Command.Asked c, Ledger ledger, List<Effect> effects) {
        Session session = sessions.get(c.session());
        Place place = session == null ? null : session.tracked(c.asked());
        switch (place) {
            case Wait wait when wait.resource.key.equals(c.key()) -> {
                stand(c, Stand.QUEUED, 0, effects);
                if (c instanceof Command.Decline || c instanceof Command.GiveUp) {
                    withdraw(wait);
                    tell(Event.Type.GAVE_UP, wait);
                    ledger.returnWait(wait.session.client(ledger));
                    serve(wait.resource, ledger, effects);
                    rest(wait.resource, ledger);
                }
            }
            case AskHold hold when hold.offered && hold.resource.key.equals(c.key()) -> {
                stand(c, Stand.OFFERED, hold.fence, effects);
                if (c instanceof Command.GiveUp || c instanceof Command.Decline) {
                    end(hold, Event.Type.GAVE_UP, ledger, effects);
                } else if (c instanceof Command.Confirm) {
                    confirm(hold, ledger, effects);
                }
            }
            case Hold hold when hold.resource.key.equals(c.key()) -> {
                stand(c, Stand.HELD, hold.fence, effects);
                if (c instanceof Command.GiveUp) {
                    end(hold, Event.Type.RELEASED, ledger, effects);
                }
            }
            case null, default -> stand(c, Stand.GONE, 0, effects);
        }
    }

    private static void stand(Command.Keyed c, Stand stand, long fence, List<Effect> effects) {
        effects.add(new Effect.Standing(c.session(), c.request(), stand, fence));
    }

    private void confirm(AskHold hold, Ledger ledger, List<Effect> effects) {
        ((Mutex) hold.resource).confirm(hold);
        hold.sinceNanos = state.nowNanos;
        tell(Event.Type.ACQUIRED, hold, state.nowNanos - hold.askedNanos, 0);
        deadlines.schedule(hold, after(hold.leaseNanos));
        hold.resource.lastActivityNanos = state.nowNanos;
        serve(hold.resource, ledger, effects);
    }

    private void suspend(Command.Suspend c, Ledger ledger, List<Effect> effects) {
        Mutex mutex = named(mutexes.get(c.key()), c.key(), null, ledger);
        if (mutex == null) {
            refuse(c, Refusal.TOO_MANY_KEYS, effects);
            return;
        }
        mutex.suspended = true;
        mutex.lastActivityNanos = state.nowNanos;
        effects.add(new Effect.Changed(c.session(), c.request()));
    }

    private void resume(Command.Resume c, Ledger ledger, List<Effect> effects) {
        effects.add(new Effect.Changed(c.session(), c.request()));
        if (mutexes.get(c.key()) instanceof Mutex mutex && mutex.suspended) {
            mutex.suspended = false;
            mutex.lastActivityNanos = state.nowNanos;
            mutex.tidy();
            serve(mutex, ledger, effects);
            rest(mutex, ledger);
        }
    }

    private void reassert(Command.Reassert c, Ledger ledger, List<Effect> effects) {
        if (!(mutexes.get(c.key()) instanceof Mutex mutex) || !mutex.admitsAgain(c.mode())) {
            refuse(c, Refusal.BUSY, effects);
            return;
        }
        Ledger.Client client = client(sessions.get(c.session()), c, ledger);
        if (!ledger.reserveHold(client)) {
            refuse(c, Refusal.TOO_MANY_KEYS, effects);
            return;
        }
        mutex.share(settings.policy(c.key()));
        AskHold hold =
                new AskHold(
                        mutex,
                        state.session(c.session(), client),
                        c.request(),
                        ledger.nextFence(),
                        c.salt(),
                        c.leaseNanos(),
                        c.mode(),
                        state.nowNanos,
                        false);
        book(hold, c.leaseNanos());
        tell(Event.Type.ACQUIRED, hold, 0, 0);
        mutex.lastActivityNanos = state.nowNanos;
        stand(c, Stand.HELD, hold.fence, effects);
    }

    private void close(Command.CloseSession c, Ledger ledger, List<Effect> effects) {
        Session session = sessions.get(c.session());
        if (session == null) {
            return;
        }
        int left = c.most();
        for (; session.firstWait != null && left > 0; left--) {
            Wait wait = session.firstWait;
            withdraw(wait);
            tell(Event.Type.GAVE_UP, wait);
            ledger.returnWait(session.client(ledger));
            if (wait.resource instanceof Mutex mutex && mutex.isShared()) {
                session.recordUnserved(mutex); // later: the next may be another of this session
            } else {
                serve(wait.resource, ledger, effects);
            }
            rest(wait.resource, ledger);
        }
        for (; session.firstWait == null && left > 0; left--) {
            Resource resource = session.pollUnserved();
            if (resource == null) {
                break;
            }
            serve(resource, ledger, effects);
        }
        int mutexes = 0;
        int sharedLocks = 0;
        for (; session.firstHold != null && left > 0; left--) {
            Hold hold = session.firstHold;
            if (hold.heir != null && hold.heir.atNanos() >= c.heirsSinceNanos()) {
                Session heir = sessions.get(hold.heir.session());
                if (heir != null) {
                    ledger.passHold(session.client(ledger), heir.client(ledger));
                    pass(hold, heir, hold.heir.request());
                    continue;
                }
            }
            boolean unknown = hold.toldBy == 0 || hold.toldBy > c.lastAnswered();
            boolean asked = hold instanceof AskHold;
            boolean claimed = hold.leaseNanos == Command.FOREVER && !asked;
            if (claimed) {
                mutexes += hold.resource.kind() == Kind.MUTEX ? 1 : 0;
                sharedLocks += hold.resource.kind() == Kind.SHARED ? 1 : 0;
            }
            boolean released = settings.autoRelease() && hold.terms().bound();
            if (released || unknown || claimed || asked) {
                end(hold, ownEnd(hold), ledger, effects);
            } else {
                detach(hold);
            }
        }
        if (mutexes + sharedLocks > 0) {
            effects.add(new Effect.Orphaned(c.session(), mutexes, sharedLocks));
        }
        if (session.isEmpty()) {
            sessions.remove(c.session());
        }
    }

    /** A session has nothing to do with a hold any more, but for its number. */
    private static void detach(Hold hold) {
        Session session = hold.session;
        session.endEnqueue(hold.resource, hold);
        session.untrack(hold.request);
        session.remove(hold);
    }

    /** Nothing is granted: the slot, the fence and the lease stay as they are. */
    private static void pass(Hold hold, Session heir, long request) {
        detach(hold);
        hold.passTo(heir, request);
        heir.add(hold);
    }

    private void collect(int most, Ledger ledger) {
        long before = collectBefore(state.nowNanos);
        data.collect(before, most, ledger);
        for (int i = 0; i < most; i++) {
            if (!(idleEnds.pollDue(before) instanceof Resource resource)) {
                return;
            }
            if (!resource.isUnused() || resource.suspended) {
                continue; // rests again when that has changed
            }
            long end = settings.idleEnd(resource.lastActivityNanos);
            if (end > before) {
                idleEnds.schedule(resource, end);
            } else {
                state.forget(resource);
                ledger.returnKey(resource.key, resource.creator);
            }
        }
    }

    /** Idle ends up to this time are collected: idle for longer than allowed, or for 0 at all. */
    private long collectBefore(long now) {
        return settings.idleNanos() == 0 ? now : now - 1;
    }

    private void endWhatIsDue(long until, Ledger ledger, List<Effect> effects) {
        for (Deadline due = deadlines.pollDue(until); due != null; due = deadlines.pollDue(until)) {
            switch (due) {
                case AskHold hold when hold.offered -> {
                    effects.add(new Effect.OfferLapsed(hold.session.id, hold.request));
                    end(hold, Event.Type.GAVE_UP, ledger, effects);
                }
                case Hold hold -> {
                    if (hold.isTracked()) {
                        effects.add(new Effect.Expired(hold.session.id, hold.request));
                    }
                    end(hold, Event.Type.EXPIRED, ledger, effects);
                }
                case Wait wait -> timeOut(wait, ledger, effects);
                case Quarantine _ -> endQuarantine(ledger, effects);
                case Named named -> throw new IllegalStateException("no lease: " + named);
            }
        }
        data.endWhatIsDue(until, state.nowNanos, ledger);
    }

    /**
     * The resource of a newcomer, made if need be; null when the request was refused. If it is
     * free, the hold has been reserved.
     */
    private @Nullable Resource admit(
            Command.Locking c,
            long limit,
            Mode mode,
            Ledger.@Nullable Client client,
            Ledger ledger,
            List<Effect> effects) {
        Map<Key, Resource> space = state.space(c.kind());
        Resource resource = space.get(c.key());
        if (resource != null && resource.limit() != limit) {
            refuse(c, Refusal.LIMIT_MISMATCH, effects);
            return null;
        }
        boolean free = !isQuarantined(c.kind()) && (resource == null || isFree(resource, mode));
        if (free && !ledger.reserveHold(client)) {
            refuse(c, Refusal.TOO_MANY_KEYS, effects);
            return null;
        }
        if (resource == null || !resource.lasting) {
            if (!ledger.reserveKey(c.key(), client)) {
                if (free) {
                    ledger.returnHold(client);
                }
                refuse(c, Refusal.TOO_MANY_KEYS, effects);
                return null;
            }
            if (resource == null) {
                resource = state.add(c.kind(), c.key(), limit);
            } else {
                ledger.returnClaim(c.key(), resource.creator);
            }
            resource.creator = client;
            resource.lasting = true;
        }
        resource.lastActivityNanos = state.nowNanos;
        return resource;
    }

    /** A shared lock excludes nobody. */
    private boolean isQuarantined(Kind kind) {
        return quarantine != null && kind != Kind.SHARED;
    }

    private void endQuarantine(Ledger ledger, List<Effect> effects) {
        quarantine = null;
        for (Roster.Node node = state.all.first(); node != null; node = node.after()) {
            if (node instanceof Resource resource) {
                serve(resource, ledger, effects);
            }
        }
    }

    private static boolean isFree(Resource resource) {
        return resource.waiters == 0 && resource.admits();
    }

    private static boolean isFree(Resource resource, Mode mode) {
        return (mode == Mode.READ && resource instanceof Mutex mutex)
                ? mutex.admitsReader()
                : isFree(resource);
    }

    private boolean isLineFull(Resource resource) {
        return settings.maxWaiters() > 0 && resource.waiters >= settings.maxWaiters();
    }

    private Hold grant(
            Resource resource,
            Session session,
            long request,
            long salt,
            long leaseNanos,
            Terms terms,
            long askedNanos,
            Ledger ledger) {
        long fence = ledger.nextFence();
        Hold hold = Hold.of(resource, session, request, fence, salt, leaseNanos, terms);
        book(hold, leaseNanos);
        tell(Event.Type.ACQUIRED, hold, state.nowNanos - askedNanos, 0);
        return hold;
    }

    private void book(Hold hold, long spanNanos) {
        Resource resource = hold.resource;
        if (resource.holders() == 0) {
            resource.heldSince = hold.fence;
            resource.tally.keys++;
        }
        resource.tally.holds++;
        hold.sinceNanos = state.nowNanos;
        resource.add(hold);
        hold.session.add(hold);
        if (hold.isTracked()) {
            hold.session.track(hold.request, hold);
        }
        deadlines.schedule(hold, after(spanNanos));
    }

    private void offer(AskWait wait, Ledger ledger, List<Effect> effects) {
        Session session = wait.session;
        AskHold hold =
                new AskHold(
                        wait.resource,
                        session,
                        wait.request,
                        ledger.nextFence(),
                        wait.salt,
                        wait.leaseNanos,
                        wait.mode(),
                        wait.sinceNanos,
                        true);
        book(hold, wait.confirmNanos);
        tell(Event.Type.OFFERED, hold, state.nowNanos - wait.sinceNanos, 0);
        effects.add(
                new Effect.Offered(
                        session.id, wait.request, hold.resource.key, hold.mode(), hold.fence));
    }

    /** Grants or offers to those who are next, as long as the resource admits them. */
    private void serve(Resource resource, Ledger ledger, List<Effect> effects) {
        if (isQuarantined(resource.kind())) {
            return;
        }
        while (resource.waiters > 0) {
            Wait wait = resource.next();
            if (wait == null) {
                return;
            }
            withdraw(wait);
            ledger.grantWait(wait.session.client(ledger));
            if (wait instanceof AskWait ask) {
                offer(ask, ledger, effects);
                continue;
            }
            Session session = wait.session;
            boolean awaited = wait.isAwaited();
            Hold hold =
                    grant(
                            resource,
                            session,
                            wait.request,
                            wait.salt,
                            wait.leaseNanos,
                            wait.terms(),
                            wait.sinceNanos,
                            ledger);
            if (awaited) {
                effects.add(granted(hold, wait.request));
            } else {
                session.recordEnqueue(resource, hold);
            }
        }
    }

    private void line(Wait wait) {
        wait.sinceNanos = state.nowNanos;
        wait.resource.append(wait);
        wait.session.add(wait);
        if (wait.isTracked()) {
            wait.session.track(wait.request, wait);
        }
    }

    /** Takes a wait out of the line, the session and the deadlines. */
    private void withdraw(Wait wait) {
        wait.resource.remove(wait);
        wait.session.remove(wait);
        deadlines.remove(wait);
        if (wait.enqueued) {
            wait.session.endEnqueue(wait.resource, wait);
        } else if (wait.isTracked()) {
            wait.session.untrack(wait.request);
        }
        wait.resource.lastActivityNanos = state.nowNanos;
    }

    private void timeOut(Wait wait, Ledger ledger, List<Effect> effects) {
        withdraw(wait);
        tell(Event.Type.TIMED_OUT, wait);
        ledger.returnWait(wait.session.client(ledger));
        effects.add(new Effect.TimedOut(wait.session.id, wait.request));
        serve(wait.resource, ledger, effects);
        rest(wait.resource, ledger);
    }

    /** What it is when the session itself wants no more of it. */
    private static Event.Type ownEnd(Hold hold) {
        return hold.isOffer() ? Event.Type.GAVE_UP : Event.Type.RELEASED;
    }

    /** Ends a hold, whatever the reason, and passes its slot on. */
    private void end(Hold hold, Event.Type reason, Ledger ledger, List<Effect> effects) {
        Resource resource = hold.resource;
        long ends = hold.time;
        resource.remove(hold);
        resource.tally.holds--;
        if (resource.holders() == 0) {
            resource.tally.keys--;
            resource.heldSince = 0;
        }
        hold.session.remove(hold);
        hold.session.endEnqueue(resource, hold);
        if (hold.isTracked()) {
            hold.session.untrack(hold.request);
        }
        deadlines.remove(hold);
        ledger.returnHold(hold.session.client(ledger));
        resource.lastActivityNanos = state.nowNanos;
        long from =
                reason == Event.Type.GAVE_UP && hold instanceof AskHold offer
                        ? offer.askedNanos
                        : hold.sinceNanos;
        long span = state.nowNanos - from;
        tell(reason, hold, span, reason == Event.Type.EXPIRED ? state.nowNanos - ends : 0);
        serve(resource, ledger, effects);
        rest(resource, ledger);
    }

    private void tell(Event.Type type, Wait wait) {
        tell(
                type,
                wait.resource,
                wait.session,
                wait.mode(),
                0,
                state.nowNanos - wait.sinceNanos,
                0);
    }

    private void tell(Event.Type type, Hold hold, long spanNanos, long lateNanos) {
        tell(type, hold.resource, hold.session, hold.mode(), hold.fence, spanNanos, lateNanos);
    }

    private void tell(
            Event.Type type,
            Resource resource,
            Session session,
            Mode mode,
            long fence,
            long spanNanos,
            long lateNanos) {
        if (events != null) {
            events.add(
                    new Event(
                            type,
                            resource.kind(),
                            resource.key,
                            session.id,
                            mode,
                            fence,
                            state.nowNanos,
                            spanNanos,
                            lateNanos,
                            resource.holders(),
                            resource.waiters));
        }
    }

    /** After the last use of a resource it may rest, and be forgotten in time or at once. */
    private void rest(Resource resource, Ledger ledger) {
        if (!resource.isUnused() || resource.suspended) {
            return;
        }
        if (!resource.lasting) {
            state.forget(resource);
            ledger.returnClaim(resource.key, resource.creator);
        } else if (!resource.isScheduled()) {
            idleEnds.schedule(resource, settings.idleEnd(resource.lastActivityNanos));
        }
    }

    private @Nullable Hold find(Kind kind, Key key, Token token) {
        Resource resource = state.space(kind).get(key);
        Hold hold = resource == null ? null : resource.find(token.fence());
        return hold != null && hold.salt == token.salt() ? hold : null;
    }

    /** The time that is a span away; what lies beyond the end of time is never. */
    private long after(long spanNanos) {
        long time = state.nowNanos + spanNanos;
        return time < state.nowNanos ? Long.MAX_VALUE : time;
    }

    private static Effect granted(Hold hold, long request) {
        return new Effect.Granted(
                hold.session.id, request, hold.resource.key, hold.token(), hold.leaseNanos);
    }

    private static void refuse(Command.Keyed c, Refusal reason, List<Effect> effects) {
        effects.add(new Effect.Refused(c.session(), c.request(), reason));
    }

    /**
     * The whole state as bytes: equal for equal states, so that replicas and replays can be
     * compared. When idle keys are looked at again is not part of it: that is no promise to
     * anybody.
     */
    public byte[] snapshot() {
        return state.snapshot();
    }
}
