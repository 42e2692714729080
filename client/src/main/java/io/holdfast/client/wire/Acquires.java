package io.holdfast.client.wire;

import io.holdfast.client.service.Outcome;
import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.ServiceException.Kind;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntSupplier;

/**
 * All acquires of a plain service, and the connections on which they wait: one each, as many as the
 * settings allow. The others wait here, in order; now and then the first of each key tries its luck
 * over the common connection, so that a free key never waits for a connection.
 */
final class Acquires implements Lane.Owner, PlainHold.Owner {
    /** A connection that carries nothing is closed after this. */
    private static final long KEEP_NANOS = 30_000_000_000L;

    private static final long POLL_NANOS = 500_000_000;
    private static final int POLLS_AT_ONCE = 32;

    private final PlainContext context;
    private final CommonLane common;
    private final IntSupplier otherConnections;
    private final Runnable lostHolds;
    private final Map<LineKey, KeyLine> lines = new HashMap<>();
    private final TreeMap<Long, PlainAttempt> wantLane = new TreeMap<>();
    private final Set<PlainAttempt> open = new LinkedHashSet<>();
    private final Set<Lane> lanes = new LinkedHashSet<>();
    private final Map<Lane, PlainAttempt> dialing = new HashMap<>();
    private final Backoff backoff = new Backoff();
    private boolean paused;
    private boolean polling;
    private long lastPolled;
    private boolean closed;

    /**
     * @param otherConnections how many there are beside the common one and ours
     * @param lostHolds told when a connection with holds is lost
     */
    Acquires(
            PlainContext context,
            CommonLane common,
            IntSupplier otherConnections,
            Runnable lostHolds) {
        this.context = context;
        this.common = common;
        this.otherConnections = otherConnections;
        this.lostHolds = lostHolds;
    }

    void start(PlainAttempt attempt) {
        open.add(attempt);
        if (closed) {
            attempt.giveUp(
                    new Outcome.Failed(
                            context.failure(Kind.CLOSED, "the client was closed", null)));
        } else if (attempt.isPatient()) {
            attempt.startClock();
            lines.computeIfAbsent(attempt.line(), unused -> new KeyLine()).add(attempt);
            turn(attempt.line());
        } else {
            attempt.tryNow(common);
        }
    }

    /** Lets the first of a line go on if it can. */
    void turn(LineKey key) {
        KeyLine line = lines.get(key);
        if (line == null) {
            return;
        }
        PlainAttempt first = line.first();
        if (first != null && first.isInLine()) {
            if (!first.wasTried() && !line.hasPlaces()) {
                first.tryNow(common);
            } else {
                wantLane.put(first.number(), first);
                serve();
            }
        } else if (line.isEmpty()) {
            lines.remove(key);
        }
    }

    /** It has its place at the server: the next may ask for one. */
    void placed(PlainAttempt attempt) {
        KeyLine line = lines.get(attempt.line());
        if (line != null) {
            line.place(attempt);
            turn(attempt.line());
        }
    }

    /** It has ended. */
    void left(PlainAttempt attempt, boolean wasPlaced) {
        open.remove(attempt);
        wantLane.remove(attempt.number());
        KeyLine line = lines.get(attempt.line());
        if (line == null || !attempt.isPatient()) {
            return;
        }
        if (wasPlaced) {
            line.unplace();
        } else {
            line.remove(attempt);
        }
        turn(attempt.line());
    }

    /** It must begin anew. */
    void back(PlainAttempt attempt, boolean wasPlaced) {
        KeyLine line = lines.computeIfAbsent(attempt.line(), unused -> new KeyLine());
        if (wasPlaced) {
            line.unplace();
        }
        line.add(attempt);
        turn(attempt.line());
    }

    void withdraw(ShortRequest request) {
        common.withdraw(request);
    }

    PlainHold hold(Lane by, LineKey line, Grant grant, long askedAtNanos) {
        return new PlainHold(context, common, this, by, line, grant, askedAtNanos);
    }

    @Override
    public void released(PlainHold hold) {
        KeyLine line = lines.get(hold.line());
        PlainAttempt first = line == null ? null : line.first();
        if (line != null && first != null && !line.hasPlaces() && wants(first)) {
            wantLane.remove(first.number());
            first.tryNow(common);
        }
    }

    private boolean wants(PlainAttempt attempt) {
        return wantLane.containsKey(attempt.number());
    }

    private void serve() {
        while (!wantLane.isEmpty() && !closed) {
            Lane lane = obtain();
            if (lane == null) {
                pollLater();
                return;
            }
            PlainAttempt first = wantLane.pollFirstEntry().getValue();
            if (!lane.isIdle()) {
                dialing.put(lane, first);
            }
            first.assign(lane);
            if (dialing.containsKey(lane)) {
                lane.dial(Dialer.Choice.SAME);
            }
        }
    }

    /** One that carries nothing, a new one, or at last one with holds; null if all wait. */
    private @Nullable Lane obtain() {
        Lane withHolds = null;
        for (Lane lane : lanes) {
            if (lane.isIdle()) {
                if (!lane.carriesHolds()) {
                    return lane;
                }
                withHolds = lane;
            }
        }
        int most = context.config().maxConnections() - 1 - otherConnections.getAsInt();
        if (lanes.size() < most && !paused) {
            Lane lane = new Lane(context, this);
            lanes.add(lane);
            return lane;
        }
        return withHolds;
    }

    /** Opens no new connections for a moment. */
    void pause() {
        if (!paused) {
            paused = true;
            context.after(
                    backoff.nextNanos(),
                    () -> {
                        paused = false;
                        serve();
                    });
        }
    }

    private void pollLater() {
        if (!polling) {
            polling = true;
            context.after(POLL_NANOS, this::poll);
        }
    }

    private void poll() {
        polling = false;
        if (closed) {
            return;
        }
        List<PlainAttempt> next = new ArrayList<>();
        choose(wantLane.tailMap(lastPolled, false), next);
        choose(wantLane.headMap(lastPolled, true), next);
        for (PlainAttempt attempt : next) {
            lastPolled = attempt.number();
            wantLane.remove(attempt.number());
            attempt.tryNow(common);
        }
        if (!wantLane.isEmpty()) {
            pollLater();
        }
    }

    private void choose(Map<Long, PlainAttempt> from, List<PlainAttempt> into) {
        for (PlainAttempt attempt : from.values()) {
            KeyLine line = lines.get(attempt.line());
            if (into.size() == POLLS_AT_ONCE) {
                return;
            }
            if (line != null && !line.hasPlaces()) {
                into.add(attempt);
            }
        }
    }

    /** Closes a connection and with it what waits on it. */
    void drop(Lane lane) {
        lanes.remove(lane);
        dialing.remove(lane);
        lane.close();
        serve();
    }

    @Override
    public void opened(Lane lane) {
        PlainAttempt attempt = dialing.remove(lane);
        if (attempt != null) {
            attempt.enqueue(lane);
        }
    }

    @Override
    public void failed(Lane lane, ServiceException why) {
        lanes.remove(lane);
        pause();
        PlainAttempt attempt = dialing.remove(lane);
        if (attempt != null) {
            attempt.laneFailed(why);
        }
    }

    @Override
    public void idle(Lane lane) {
        backoff.reset();
        serve();
    }

    @Override
    public void ended(Lane lane, boolean abruptly) {
        lanes.remove(lane);
        if (!lane.wasAnswered()) {
            pause(); // a full server takes connections and closes them at once
        }
        if (lane.carriedAtEnd()) {
            lostHolds.run();
        }
        serve();
    }

    @Override
    public void tick(Lane lane) {
        if (!lane.carriesHolds() && context.now() - lane.lastUsedNanos() >= KEEP_NANOS) {
            drop(lane);
        }
    }

    /**
     * The server, or the way to it, is in doubt. Connections that wait cannot be asked whether they
     * live; without holds they are better opened anew.
     */
    void distrust() {
        for (Lane lane : List.copyOf(lanes)) {
            if (!lane.isIdle() && !lane.carriesHolds() && !dialing.containsKey(lane)) {
                lane.giveUp();
            }
        }
    }

    List<PlainHold> holds() {
        List<PlainHold> all = new ArrayList<>(common.lane().holds());
        lanes.forEach(lane -> all.addAll(lane.holds()));
        return all;
    }

    /** Ends all that wait; holds are left alone. */
    void cancelAll() {
        closed = true;
        List.copyOf(open).forEach(attempt -> attempt.giveUp(new Outcome.Cancelled()));
    }

    void close() {
        List.copyOf(lanes).forEach(this::drop);
    }
}
