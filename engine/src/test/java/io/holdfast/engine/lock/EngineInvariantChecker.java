package io.holdfast.engine.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.engine.Command;
import io.holdfast.engine.Effect;
import io.holdfast.engine.EngineSettings;
import io.holdfast.engine.HoldAttributes;
import io.holdfast.engine.Key;
import io.holdfast.engine.OfferRequestStatus;
import io.holdfast.engine.QueuePolicy;
import io.holdfast.engine.ReadWriteMode;
import io.holdfast.engine.Refusal;
import io.holdfast.engine.ResourceKind;
import io.holdfast.engine.Token;
import io.holdfast.engine.lock.LockScenario.Target;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Observes commands and effects from outside, without knowledge of the implementation, and fails
 * when an invariant is violated.
 */
final class EngineInvariantChecker {
    private record Held(
            long session,
            long request,
            long deliveredBy,
            ResourceKind kind,
            Key key,
            boolean forever,
            HoldAttributes attributes,
            long end) {
        boolean is(Command.Locking c) {
            return kind == c.kind() && key.equals(c.key());
        }

        boolean isReader() {
            return attributes.mode() == ReadWriteMode.READ;
        }

        boolean isOf(long session, long request) {
            return this.session == session && this.request == request;
        }

        boolean endsWith(Command.CloseSession c, EngineSettings engineSettings) {
            return session == c.session()
                    && ((engineSettings.autoRelease() && attributes.bound())
                            || forever
                            || deliveredBy > c.lastAnswered());
        }
    }

    private record Blocked(
            long session, long request, ResourceKind kind, Key key, HoldAttributes attributes) {
        static Blocked of(Command.Acquire c) {
            return new Blocked(c.session(), c.request(), c.kind(), c.key(), c.attributes());
        }

        boolean is(Command.Locking c) {
            return kind == c.kind() && key.equals(c.key());
        }
    }

    /** An offer, or the hold that it became by a confirmation. */
    private record ReadWriteHold(
            long session, long request, Key key, ReadWriteMode mode, long fence, boolean offered) {}

    private final EngineSettings engineSettings;
    private final List<ReadWriteHold> shares = new ArrayList<>();
    private final Set<Key> suspended = new HashSet<>();

    /**
     * The session that the command closes, 0 if none. At which point of the command it ends is not
     * visible.
     */
    private long closing;

    private final Map<Token, Held> live = new HashMap<>();
    private final List<Held> tryAcquiredHolds = new ArrayList<>(); // their tokens are not delivered
    private final List<Blocked> queue = new ArrayList<>();
    private final Map<List<Object>, Long> limits = new HashMap<>();
    private final Map<Key, Long> lockFences = new HashMap<>();
    private final Set<Token> ever = new HashSet<>();
    private final Map<List<Object>, ReadWriteMode> modes = new HashMap<>(); // of the last enqueue
    private final Map<List<Object>, Long> floors = new HashMap<>();
    private final Set<Long> fences = new HashSet<>();
    private final Map<List<Long>, Command.Locking> requests = new HashMap<>();

    /** Tracked holds lost by this command, so that their sessions must be notified. */
    private final List<Held> toBeNotified = new ArrayList<>();

    private final Map<Token, Successor> successors = new HashMap<>();
    private final Set<Long> closed = new HashSet<>();
    private long forceReleasedSession;
    private long now = Long.MIN_VALUE;

    EngineInvariantChecker(EngineSettings engineSettings) {
        this.engineSettings = engineSettings;
    }

    void see(Command command, long time, List<Effect> effects) {
        now = Math.max(now, time);
        List<Held> due = live.values().stream().filter(held -> held.end() <= now).toList();
        live.values().removeAll(due);
        toBeNotified.addAll(due.stream().filter(held -> held.attributes().tracked()).toList());
        if (command instanceof Command.Locking keyed && !(command instanceof Command.Cancel)) {
            requests.put(List.of(keyed.session(), keyed.request()), keyed);
        }
        if (command instanceof Command.CloseSession c) {
            queue.removeIf(it -> it.session() == c.session());
            assertOrphaned(c, effects);
            closed.add(c.session());
            live.replaceAll((token, held) -> inherited(c, held, successors.get(token)));
            live.values().removeIf(held -> held.endsWith(c, engineSettings));
            tryAcquiredHolds.removeIf(held -> held.endsWith(c, engineSettings));
        }
        closing = command instanceof Command.CloseSession c ? c.session() : 0;
        boolean hasResult = false;
        for (Effect effect : effects) {
            if (command instanceof Command.Enqueue c
                    && effect.request() == c.request()
                    && effect.session() == c.session()
                    && !(effect instanceof Effect.Refused)) {
                modes.put(List.of(c.session(), c.kind(), c.key()), c.mode());
            }
            see(effect, command);
            hasResult |=
                    command instanceof Command.Locking keyed
                            && keyed.session() == effect.session()
                            && keyed.request() == effect.request();
        }
        shares.removeIf(readWriteHold -> readWriteHold.session() == closing);
        assertThat(toBeNotified).as("lost by %s without a notification", command).isEmpty();
        if (command instanceof Command.Acquire c && !hasResult) {
            queue.add(Blocked.of(c));
        }
    }

    /** A hold that another session has renewed passes to that session, if the command allows it. */
    private Held inherited(Command.CloseSession c, Held held, Successor successor) {
        boolean passes =
                successor != null
                        && held.session() == c.session()
                        && held.attributes().bound()
                        && successor.atNanos() >= c.successorsSinceNanos()
                        && !closed.contains(successor.session());
        return passes
                ? new Held(
                        successor.session(),
                        successor.request(),
                        successor.request(),
                        held.kind(),
                        held.key(),
                        held.forever(),
                        HoldAttributes.of(held.attributes().mode()),
                        held.end())
                : held;
    }

    private void see(Effect effect, Command command) {
        switch (effect) {
            case Effect.Granted granted -> granted(granted, command);
            case Effect.Released _ -> {
                if (command instanceof Command.ReleaseBySession c) {
                    tryAcquiredHolds.removeIf(held -> held.session() == c.session() && held.is(c));
                    live.values()
                            .removeIf(
                                    held ->
                                            held.session() == c.session()
                                                    && held.is(c)
                                                    && !held.isReader());
                } else {
                    Command.Release c = (Command.Release) command;
                    assertLive(c, c.token());
                    Held held = live.remove(c.token());
                    if (held.attributes().tracked() && held.session() != c.session()) {
                        toBeNotified.add(held);
                    }
                }
            }
            case Effect.TryAcquired tryAcquired ->
                    tryAcquired(tryAcquired, (Command.TryAcquire) command);
            case Effect.Inspected inspected -> {
                Command.Inspect c = (Command.Inspect) command;
                assertThat(inspected.holders())
                        .isGreaterThanOrEqualTo(holders(c).size() + shares(c).size());
                assertThat(inspected.own() || !isHolding(c)).as("%s", inspected).isTrue();
            }
            case Effect.Orphaned _ -> assertThat(command).isInstanceOf(Command.CloseSession.class);
            case Effect.Renewed renewed -> {
                Command.Renew c = (Command.Renew) command;
                assertLive(c, c.token());
                Held held = live.get(c.token());
                if (held.session() == c.session()) {
                    successors.remove(c.token());
                } else {
                    successors.put(c.token(), new Successor(c.session(), c.request(), now));
                }
                live.put(
                        c.token(),
                        new Held(
                                held.session(),
                                held.request(),
                                held.deliveredBy(),
                                held.kind(),
                                held.key(),
                                held.forever(),
                                held.attributes(),
                                end(renewed.leaseNanos())));
            }
            case Effect.Refused refused -> {
                if (refused.reason() == Refusal.NOT_HELD) {
                    assertDead(command);
                }
                if (refused.reason() == Refusal.BUSY && !(command instanceof Command.Reassert)) {
                    Command.TryAcquire c = (Command.TryAcquire) command;
                    assertThat(c.kind())
                            .as("a shared lock is never busy")
                            .isNotEqualTo(ResourceKind.SHARED);
                    assertThat(isHolding(c))
                            .as("%s was refused a hold of its session", c)
                            .isFalse();
                }
            }
            case Effect.Cancelled cancelled -> {
                leave(cancelled);
                Predicate<Held> cancelledHold =
                        held ->
                                held.session() == cancelled.session()
                                        && held.request() == cancelled.request();
                live.values().removeIf(cancelledHold);
                tryAcquiredHolds.removeIf(cancelledHold);
                leaveShare(cancelled);
            }
            case Effect.TimedOut timedOut -> leave(timedOut);
            case Effect.Queued _ -> {}
            case Effect.Offered offered -> {
                Command.RequestOffer request =
                        (Command.RequestOffer)
                                requests.get(List.of(offered.session(), offered.request()));
                assertThat(offered.key()).isEqualTo(request.key());
                assertThat(offered.mode()).isEqualTo(request.mode());
                assertThat(suspended).doesNotContain(offered.key());
                assertThat(shares(request)).as("one offer").noneMatch(ReadWriteHold::offered);
                share(request, offered.mode(), offered.fence(), true);
            }
            case Effect.OfferExpired lapsed -> assertThat(leaveShare(lapsed).offered()).isTrue();
            case Effect.Expired expired -> {
                if (!notifyLoss(expired)) {
                    assertThat(leaveShare(expired).offered()).isFalse();
                }
            }
            case Effect.Revoked revoked -> {
                boolean notified =
                        switch (command) {
                            case Command.Release _ -> notifyLoss(revoked);
                            case Command.ForceRelease c ->
                                    notifyLoss(revoked) || isForceReleased(c, revoked);
                            default -> false;
                        };
                assertThat(notified).as("%s was notified before or is not lost", revoked).isTrue();
            }
            case Effect.ForceReleased forceReleased ->
                    forceReleased(forceReleased, (Command.ForceRelease) command);
            case Effect.StatusReport statusReport -> statusReported(statusReport, command);
            case Effect.Changed _ -> {
                if (command instanceof Command.Suspend c) {
                    suspended.add(c.key());
                } else if (command instanceof Command.Resume c) {
                    suspended.remove(c.key());
                }
            }
            case Effect.Counted _, Effect.Found _, Effect.Absent _, Effect.Items _ -> {}
        }
    }

    /** The next command releases one hold of this session by force. */
    void expectForceReleaseOf(long session) {
        forceReleasedSession = session;
    }

    private void forceReleased(Effect.ForceReleased forceReleased, Command.ForceRelease c) {
        assertThat(fences.add(forceReleased.fence()))
                .as("fence of %s is new", forceReleased)
                .isTrue();
        boolean all = c.fence() == 0;
        List<Token> gone =
                live.entrySet().stream()
                        .filter(it -> it.getValue().is(c))
                        .map(Map.Entry::getKey)
                        .filter(it -> all || it.fence() == c.fence())
                        .toList();
        List<ReadWriteHold> released =
                shares(c).stream().filter(it -> all || it.fence() == c.fence()).toList();
        // The fence of a try-acquired hold is unknown; a session has one per key.
        List<Held> unnotified =
                tryAcquiredHolds.stream()
                        .filter(it -> it.is(c) && (all || it.session() == forceReleasedSession))
                        .filter(_ -> all || (gone.isEmpty() && released.isEmpty()))
                        .toList();
        assertThat(gone).allMatch(it -> it.fence() < forceReleased.fence());
        assertThat(released).allMatch(it -> it.fence() < forceReleased.fence());
        assertThat(forceReleased.holds())
                .as("%s releases at least the known holds", forceReleased)
                .isGreaterThanOrEqualTo(gone.size() + released.size() + unnotified.size());
        assertThat(all || forceReleased.holds() == 1).isTrue();
        tryAcquiredHolds.removeAll(unnotified);
        for (Token token : gone) {
            Held held = live.remove(token);
            if (held.attributes().tracked()) {
                toBeNotified.add(held);
            }
        }
        if (c.kind() == ResourceKind.LOCK) {
            lockFences.put(c.key(), forceReleased.fence());
        }
        if (all) {
            floors.put(List.of(c.kind(), c.key()), forceReleased.fence());
        }
    }

    /** A holder that requested an offer is always notified. */
    private boolean isForceReleased(Command.ForceRelease c, Effect.Revoked revoked) {
        ReadWriteHold readWriteHold = leaveShare(revoked);
        return readWriteHold != null
                && readWriteHold.key().equals(c.key())
                && (c.fence() == 0 || c.fence() == readWriteHold.fence());
    }

    private boolean notifyLoss(Effect effect) {
        return toBeNotified.removeIf(held -> held.isOf(effect.session(), effect.request()));
    }

    private void statusReported(Effect.StatusReport statusReport, Command command) {
        if (command instanceof Command.Reassert c) {
            assertThat(suspended).contains(c.key());
            assertThat(shares(c)).noneMatch(ReadWriteHold::offered);
            share(c, c.mode(), statusReport.fence(), false);
            return;
        }
        Command.OnTrackedRequest c = (Command.OnTrackedRequest) command;
        if (requests.get(List.of(c.session(), c.targetRequest()))
                instanceof Command.Acquire acquire) {
            statusReported(statusReport.status(), statusReport.fence(), c, acquire);
            return;
        }
        List<ReadWriteHold> own =
                shares(c).stream()
                        .filter(
                                it ->
                                        it.session() == c.session()
                                                && it.request() == c.targetRequest())
                        .toList();
        OfferRequestStatus offerRequestStatus = statusReport.status();
        assertThat(own)
                .hasSize(
                        offerRequestStatus == OfferRequestStatus.OFFERED
                                        || offerRequestStatus == OfferRequestStatus.HELD
                                ? 1
                                : 0);
        if (own.isEmpty()) {
            return;
        }
        ReadWriteHold readWriteHold = own.getFirst();
        assertThat(readWriteHold.offered())
                .isEqualTo(offerRequestStatus == OfferRequestStatus.OFFERED);
        boolean confirmed = c instanceof Command.Confirm;
        boolean left = c instanceof Command.Decline && readWriteHold.offered();
        if (confirmed || left || c instanceof Command.CancelOrRelease) {
            shares.remove(readWriteHold);
        }
        if (confirmed) {
            shares.add(
                    new ReadWriteHold(
                            readWriteHold.session(),
                            readWriteHold.request(),
                            readWriteHold.key(),
                            readWriteHold.mode(),
                            readWriteHold.fence(),
                            false));
        }
    }

    /** The status of a tracked acquire must match its earlier effects. */
    private void statusReported(
            OfferRequestStatus offerRequestStatus,
            long fence,
            Command.OnTrackedRequest c,
            Command.Acquire acquire) {
        assertThat(acquire.attributes().tracked() || offerRequestStatus == OfferRequestStatus.GONE)
                .as("%s", c)
                .isTrue();
        if (!acquire.key().equals(c.key()) || !acquire.attributes().tracked()) {
            assertThat(offerRequestStatus).isEqualTo(OfferRequestStatus.GONE);
            return;
        }
        Blocked blocked = Blocked.of(acquire);
        List<Token> own =
                live.entrySet().stream()
                        .filter(it -> it.getValue().isOf(c.session(), c.targetRequest()))
                        .map(Map.Entry::getKey)
                        .toList();
        OfferRequestStatus known =
                queue.contains(blocked)
                        ? OfferRequestStatus.QUEUED
                        : own.isEmpty() ? OfferRequestStatus.GONE : OfferRequestStatus.HELD;
        assertThat(offerRequestStatus).as("%s of %s", c, acquire).isEqualTo(known);
        assertThat(fence).isEqualTo(own.isEmpty() ? 0 : own.getFirst().fence());
        if (c instanceof Command.CancelOrRelease) {
            own.forEach(live::remove);
        }
        if (c instanceof Command.CancelOrRelease || c instanceof Command.Decline) {
            queue.remove(blocked);
        }
    }

    /** A reader or writer is admitted: a writer never beside another holder. */
    private void share(
            Command.Locking c, ReadWriteMode readWriteMode, long fence, boolean offered) {
        assertThat(holders(c))
                .as("holders beside %s", c)
                .allMatch(it -> readWriteMode == ReadWriteMode.READ && it.isReader());
        assertThat(shares(c))
                .as("beside %s", c)
                .allMatch(
                        it ->
                                readWriteMode == ReadWriteMode.READ
                                        && it.mode() == ReadWriteMode.READ);
        assertThat(fences.add(fence)).as("fence of %s is new", c).isTrue();
        Long before = lockFences.put(c.key(), fence);
        assertThat(before == null || before < fence).as("fence of %s is above all", c).isTrue();
        shares.add(
                new ReadWriteHold(
                        c.session(), c.request(), c.key(), readWriteMode, fence, offered));
    }

    private ReadWriteHold leaveShare(Effect effect) {
        for (ReadWriteHold readWriteHold : shares) {
            if (readWriteHold.session() == effect.session()
                    && readWriteHold.request() == effect.request()) {
                shares.remove(readWriteHold);
                return readWriteHold;
            }
        }
        return null;
    }

    private List<ReadWriteHold> shares(Command.Locking c) {
        return c.kind() == ResourceKind.LOCK
                ? shares.stream()
                        .filter(it -> it.key().equals(c.key()) && it.session() != closing)
                        .toList()
                : List.of();
    }

    private void tryAcquired(Effect.TryAcquired tryAcquired, Command.TryAcquire c) {
        if (!tryAcquired.isNew()) {
            assertThat(
                            tryAcquiredHolds.stream()
                                    .anyMatch(it -> it.session() != c.session() && it.is(c)))
                    .as("%s has other holders", tryAcquired)
                    .isEqualTo(tryAcquired.holders() > 1);
            return;
        }
        assertThat(isHolding(c)).as("%s is of a session without a hold", c).isFalse();
        assertThat(queue).as("%s overtakes no waiter", c).noneMatch(it -> it.is(c));
        assertThat(tryAcquired.holders()).isEqualTo(holders(c).size() + 1);
        assertThat(shares(c)).as("%s is granted beside no offer", c).isEmpty();
        assertThat(c.kind() == ResourceKind.LOCK && suspended.contains(c.key())).isFalse();
        assertThat(c.kind() == ResourceKind.SHARED || tryAcquired.holders() == 1)
                .as("%s", tryAcquired)
                .isTrue();
        tryAcquiredHolds.add(
                new Held(
                        c.session(),
                        c.request(),
                        c.request(),
                        c.kind(),
                        c.key(),
                        true,
                        HoldAttributes.PLAIN,
                        Long.MAX_VALUE));
    }

    /** The known holders of a key: an enqueue may have been granted without an effect so far. */
    private List<Held> holders(Command.Locking c) {
        return Stream.concat(live.values().stream(), tryAcquiredHolds.stream())
                .filter(held -> held.is(c))
                .toList();
    }

    /** Whether the session is known to have a try-acquired or plain hold. */
    private boolean isHolding(Command.Locking c) {
        return holders(c).stream()
                .anyMatch(held -> held.session() == c.session() && !held.isReader());
    }

    private void assertOrphaned(Command.CloseSession c, List<Effect> effects) {
        List<Effect.Orphaned> orphaned =
                effects.stream()
                        .filter(Effect.Orphaned.class::isInstance)
                        .map(Effect.Orphaned.class::cast)
                        .toList();
        assertThat(orphaned).hasSizeLessThan(2).allMatch(it -> it.session() == c.session());
        assertThat(orphaned.stream().mapToLong(Effect.Orphaned::shared).sum())
                .isEqualTo(tryAcquiredBy(c.session(), ResourceKind.SHARED));
        assertThat(orphaned.stream().mapToLong(Effect.Orphaned::locks).sum())
                .isGreaterThanOrEqualTo(tryAcquiredBy(c.session(), ResourceKind.LOCK));
    }

    private long tryAcquiredBy(long session, ResourceKind resourceKind) {
        return tryAcquiredHolds.stream()
                .filter(it -> it.session() == session && it.kind() == resourceKind)
                .count();
    }

    private void granted(Effect.Granted granted, Command command) {
        Token token = granted.token();
        Command.Locking request = requests.get(List.of(granted.session(), granted.request()));
        assertThat(request).as("%s is the effect of a request", granted).isNotNull();
        assertThat(granted.key()).isEqualTo(request.key());
        long deliveredBy = granted.request();
        HoldAttributes holdAttributes = attributesOf(request);
        boolean reads = holdAttributes.mode() == ReadWriteMode.READ;
        boolean mayBeLate = command instanceof Command.Await; // the grant may be older
        assertThat(shares(request))
                .as("%s is granted beside no offer, unless all are readers", granted)
                .allMatch(
                        it ->
                                reads
                                        && it.mode() == ReadWriteMode.READ
                                        && (mayBeLate || !it.offered()));
        if (ever.add(token)) {
            assertThat(
                            mayBeLate
                                    || request.kind() != ResourceKind.LOCK
                                    || !suspended.contains(request.key()))
                    .as("%s is not granted while suspended", granted)
                    .isTrue();
            assertThat(fences.add(token.fence())).as("fence of %s is new", granted).isTrue();
            assertThat(floors.getOrDefault(List.of(request.kind(), request.key()), 0L))
                    .as("%s has a fence above that of the last forced release", granted)
                    .isLessThan(token.fence());
            if (request.kind() == ResourceKind.LOCK) {
                long before = lockFences.getOrDefault(granted.key(), 0L);
                assertThat(before < token.fence() || (mayBeLate && reads))
                        .as("fence of %s is above %s", granted, before)
                        .isTrue();
                lockFences.put(granted.key(), Math.max(before, token.fence()));
            }
        } else {
            // Only an await may deliver the token of its enqueue again, and only while it is held.
            assertThat(request).isInstanceOf(Command.Await.class);
            assertThat(live).as("%s has the token of a live hold", granted).containsKey(token);
            deliveredBy = live.remove(token).deliveredBy();
        }
        boolean closing =
                command instanceof Command.CloseSession c && c.session() == granted.session();
        if (request instanceof Command.Acquire c && !closing) {
            assertFirstInQueue(c);
            leave(granted);
        }
        if (reads) {
            assertThat(holders(request)).as("holders beside %s", granted).allMatch(Held::isReader);
        } else {
            assertThat((long) holders(request).size())
                    .as("other holders at %s", granted)
                    .isLessThan(limit(request));
        }
        Held held =
                new Held(
                        granted.session(),
                        granted.request(),
                        deliveredBy,
                        request.kind(),
                        request.key(),
                        granted.leaseNanos() == Command.FOREVER,
                        holdAttributes,
                        end(granted.leaseNanos()));
        if (!(command instanceof Command.CloseSession c && held.endsWith(c, engineSettings))) {
            live.put(token, held);
        }
    }

    private HoldAttributes attributesOf(Command.Locking request) {
        return switch (request) {
            case Command.Acquire c -> c.attributes();
            case Command.Enqueue c -> HoldAttributes.of(c.mode());
            case Command.Await c ->
                    HoldAttributes.of(modes.get(List.of(c.session(), c.kind(), c.key())));
            default -> HoldAttributes.PLAIN;
        };
    }

    /** No blocked waiter may be overtaken, except where the policy allows it. */
    private void assertFirstInQueue(Command.Acquire granted) {
        QueuePolicy queuePolicy =
                engineSettings.policies().getOrDefault(granted.key(), QueuePolicy.FIFO);
        ReadWriteMode readWriteMode = granted.attributes().mode();
        ReadWriteMode preferred =
                queuePolicy == QueuePolicy.READER_PREFERRED
                        ? ReadWriteMode.READ
                        : ReadWriteMode.WRITE;
        boolean passes = queuePolicy != QueuePolicy.FIFO && readWriteMode == preferred;
        for (Blocked blocked : queue) {
            if (blocked.equals(Blocked.of(granted))) {
                break;
            }
            if (blocked.is(granted)) {
                assertThat(passes && blocked.attributes().mode() != preferred)
                        .as("%s overtakes %s", granted, blocked)
                        .isTrue();
            }
        }
        if (queuePolicy != QueuePolicy.FIFO
                && readWriteMode != preferred
                && granted.kind() == ResourceKind.LOCK) {
            assertThat(queue)
                    .as("%s overtakes no preferred waiter", granted)
                    .noneMatch(it -> it.is(granted) && it.attributes().mode() == preferred);
        }
    }

    private void leave(Effect effect) {
        queue.removeIf(it -> it.session() == effect.session() && it.request() == effect.request());
    }

    private void assertLive(Command.Locking c, Token token) {
        Held held = live.get(token);
        assertThat(held).as("%s may use %s", c, token).isNotNull();
        assertThat(held.kind()).isEqualTo(c.kind());
        assertThat(held.key()).isEqualTo(c.key());
    }

    private void assertDead(Command command) {
        if (command instanceof Command.ReleaseBySession c) {
            assertThat(isHolding(c)).as("%s was refused a hold of its session", c).isFalse();
            return;
        }
        if (command instanceof Command.ForceRelease c) {
            boolean all = c.fence() == 0;
            assertThat(all && !holders(c).isEmpty()).as("%s found no hold", c).isFalse();
            assertThat(shares(c)).noneMatch(it -> all || it.fence() == c.fence());
            assertThat(live.entrySet())
                    .noneMatch(it -> it.getValue().is(c) && it.getKey().fence() == c.fence());
            return;
        }
        Token token =
                switch (command) {
                    case Command.Release c -> c.token();
                    case Command.Renew c -> c.token();
                    default -> throw new AssertionError("not held: " + command);
                };
        Command.Locking c = (Command.Locking) command;
        Held held = live.get(token);
        assertThat(held != null && held.is(c))
                .as("%s was refused although its token is valid", command)
                .isFalse();
    }

    private long limit(Command.Locking request) {
        if (request instanceof Command.Acquire c) {
            limits.put(List.of(c.kind(), c.key()), c.limit());
        } else if (request instanceof Command.Enqueue c) {
            limits.put(List.of(c.kind(), c.key()), c.limit());
        }
        // An await has no limit; its semaphore has at most the largest of the schedule.
        return request.kind() == ResourceKind.LOCK
                ? 1
                : limits.getOrDefault(
                        List.of(request.kind(), request.key()), widest(request.key()));
    }

    private static long widest(Key key) {
        return Schedule.TARGETS.stream()
                .filter(it -> it.key().equals(key))
                .mapToLong(Target::limit)
                .max()
                .orElseThrow();
    }

    private long end(long durationNanos) {
        return now > 0 && durationNanos > Long.MAX_VALUE - now
                ? Long.MAX_VALUE
                : now + durationNanos;
    }
}
