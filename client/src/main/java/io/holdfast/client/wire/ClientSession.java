package io.holdfast.client.wire;

import io.holdfast.client.service.AcquireRequest;
import io.holdfast.client.service.GrantedHold;
import io.holdfast.client.service.ServiceEvents;
import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.TimerClock;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

/**
 * Requests, holds and the state of the connection, over as many connections and sessions at the
 * server as it takes. Everything but what says otherwise runs in its {@link SerialTaskRunner}, so
 * that nothing here happens at the same time as anything else.
 *
 * <p>Every request is in one place: the backlog until it is sent, in flight until it is answered.
 */
final class ClientSession implements ReconnectingConnection.ConnectionListener {
    private static final System.Logger LOG = System.getLogger(ClientSession.class.getName());

    private enum Phase {
        /** No session: all that was held is lost. */
        LOST,
        /** There is a session, perhaps, but no connection. */
        SUSPENDED,
        /** Connected to a session that was resumed, and finding out what it has. */
        RESUMING,
        ONLINE,
        CLOSED
    }

    private final WireConfig config;
    private final ServiceEvents events;
    private final TimerClock timerClock;
    private final SerialTaskRunner taskRunner;
    private final Map<Long, TaggedRequest> inFlight = new LinkedHashMap<>(); // by tag, ascending
    private final Set<TaggedRequest> backlog = new LinkedHashSet<>();
    private final Map<Long, TaggedHold> holds = new HashMap<>(); // of this session, by tag
    private final SessionListeners sessionListeners = new SessionListeners(this);
    private final CountDownLatch ended = new CountDownLatch(1);

    private Phase phase = Phase.LOST;
    private @Nullable LineChannel lineChannel;
    private volatile @Nullable HelloResponse helloResponse;
    private volatile String address; // of the server that it is connected to, or was last
    private boolean hadSession;
    private long nextTag = 1;
    private TimerClock.@Nullable Timer graceTimer;
    private volatile @Nullable SessionHeartbeat heartbeat; // of the channel
    private volatile @Nullable SessionHeartbeat lastHeartbeat; // stopped or not
    private volatile boolean up; // whether it is known what the session has
    private volatile long helloAskedAt; // before the last one was sent
    private int suspensions;
    private @Nullable ServiceException failure;
    private @Nullable ResumedState resumedState; // while resuming
    private Runnable onEnd = () -> {};
    private boolean closing;
    private boolean byeSent;

    ClientSession(WireConfig config, ServiceEvents events, TimerClock timerClock) {
        this.config = config;
        this.events = events;
        this.timerClock = timerClock;
        this.taskRunner = new SerialTaskRunner(config.executor());
        this.address = LineSocket.text(config.addresses().get(0));
        this.helloAskedAt = timerClock.nanoTime();
    }

    // For everybody, on any thread

    void run(Runnable task) {
        taskRunner.run(task);
    }

    boolean isHere() {
        return taskRunner.isHere();
    }

    long now() {
        return timerClock.nanoTime();
    }

    TimerClock timeline() {
        return timerClock;
    }

    String address() {
        return address;
    }

    SessionListeners listeners() {
        return sessionListeners;
    }

    /** What to do at the very end; to be set before anything happens. */
    void onEnd(Runnable action) {
        onEnd = action;
    }

    /** Open when nothing is left to be waited for after {@link #beginClose}. */
    CountDownLatch ended() {
        return ended;
    }

    /**
     * How certain it is that the server has a hold still.
     *
     * @param heardOn the pulse of the connection that told of the hold
     */
    GrantedHold.Certainty certainty(@Nullable SessionHeartbeat heardOn) {
        SessionHeartbeat last = lastHeartbeat;
        if (last != null && !last.isKept()) {
            return GrantedHold.Certainty.GONE;
        }
        // Of what was granted while the session is being resumed, nobody has to ask.
        boolean known = up || (heardOn != null && heardOn == heartbeat);
        return known ? GrantedHold.Certainty.HELD : GrantedHold.Certainty.IN_DOUBT;
    }

    /** Whether a session outlives its connection; true before there is one. */
    boolean canResume() {
        HelloResponse known = helloResponse;
        return known == null || known.graceNanos() > 0;
    }

    // The link

    @Override
    public @Nullable HelloResponse resumable() {
        helloAskedAt = now();
        return helloResponse;
    }

    @Override
    public void up(LineChannel open, HelloResponse answer) {
        long askedAt = helloAskedAt;
        run(() -> connected(open, answer, askedAt));
    }

    @Override
    public void line(LineChannel from, String line) {
        run(
                () -> {
                    if (from == lineChannel) {
                        received(from, line);
                    }
                });
    }

    @Override
    public void down(LineChannel from, IOException why) {
        run(
                () -> {
                    if (from == lineChannel) {
                        disconnected(why);
                    }
                });
    }

    @Override
    public void failed(ServiceException why) {
        run(
                () -> {
                    failure = why;
                    LOG.log(System.Logger.Level.DEBUG, why.getMessage());
                    giveUpIfRefused();
                });
    }

    private void connected(LineChannel open, HelloResponse answer, long askedAt) {
        if (phase == Phase.CLOSED) {
            open.close();
            return;
        }
        helloResponse = answer;
        if (answer.resumed() && phase == Phase.LOST) {
            // Too late: its holds were given up for lost, so it must not keep them.
            helloResponse = null;
            open.send(nextTag++ + " bye\n_\n_\n");
            return;
        }
        failure = null;
        if (!answer.resumed() && phase == Phase.SUSPENDED) {
            lose();
        }
        lineChannel = open;
        address = open.address();
        events.server(address);
        cancel(graceTimer);
        SessionHeartbeat next =
                new SessionHeartbeat(
                        this, open, silenceNanos(answer), answer.graceNanos(), askedAt);
        heartbeat = next;
        lastHeartbeat = next;
        if (answer.resumed()) {
            phase = Phase.RESUMING;
            var listed = new ResumedState(answer.session());
            resumedState = listed;
            takeInventory(listed);
            if (isHolding()) {
                next.holding(); // it may be gone again before it has told us what it has
            }
        } else if (hadSession) {
            ready(events::reconnected);
        } else {
            hadSession = true;
            ready(events::connected);
        }
    }

    private void ready(Runnable event) {
        phase = Phase.ONLINE;
        up = true;
        SerialTaskRunner.guard(event);
        for (TaggedRequest taggedRequest : List.copyOf(backlog)) {
            if (phase == Phase.ONLINE && backlog.remove(taggedRequest)) {
                submit(taggedRequest);
            }
        }
        sessionListeners.connected();
    }

    private void disconnected(IOException why) {
        boolean wasOnline = phase == Phase.ONLINE;
        SessionHeartbeat last = heartbeat;
        lineChannel = null;
        resumedState = null;
        stopHeartbeat();
        if (closing) {
            finishClose();
            return;
        }
        LOG.log(
                System.Logger.Level.DEBUG,
                "The connection to " + address() + " ended: " + ConnectionFailure.reason(why));
        phase = Phase.SUSPENDED;
        up = false;
        if (wasOnline) {
            SerialTaskRunner.guard(events::suspended);
        }
        sessionListeners.disconnected();
        var unknown = unknown(why);
        for (TaggedRequest taggedRequest : List.copyOf(inFlight.values())) {
            if (taggedRequest.survivesDisconnect(unknown)) {
                startOfflineTimeout(taggedRequest);
            } else {
                inFlight.remove(taggedRequest.tag());
            }
        }
        long grace = graceLeft(last);
        if (grace <= 0) {
            lose();
        } else {
            int which = ++suspensions;
            graceTimer = timerClock.schedule(grace, () -> run(() -> graceOver(which)));
        }
    }

    /** What holds nothing may try to resume a little longer than the server is sure to wait. */
    private long graceLeft(@Nullable SessionHeartbeat last) {
        HelloResponse known = helloResponse;
        if (known == null || last == null || known.graceNanos() == 0 || holds.isEmpty()) {
            return known == null ? 0 : known.graceNanos();
        }
        return last.keptUntil() - now();
    }

    private void stopHeartbeat() {
        if (heartbeat != null) {
            heartbeat.stop();
            heartbeat = null;
        }
    }

    private void graceOver(int which) {
        if (phase == Phase.SUSPENDED && which == suspensions) {
            lose();
        }
    }

    /** The session, and all that it held and waited for, is gone. */
    private void lose() {
        phase = Phase.LOST;
        SerialTaskRunner.guard(events::lost);
        var gone = List.copyOf(holds.values());
        holds.clear();
        for (TaggedHold hold : gone) {
            if (!hold.isUnbound()) {
                hold.lose(GrantedHold.Loss.CONNECTION);
            }
        }
        var all = new ArrayList<>(inFlight.values());
        all.addAll(backlog);
        inFlight.clear();
        backlog.clear();
        for (TaggedRequest taggedRequest : all) {
            if (taggedRequest.survivesSessionLoss()) {
                backlog.add(taggedRequest);
            } else {
                taggedRequest.stopTimer();
            }
        }
        giveUpIfRefused();
    }

    /** A server that does not want us will not want us soon; one that is away may come back. */
    private void giveUpIfRefused() {
        ServiceException why = failure;
        if (phase == Phase.LOST && why != null && why.kind() != ServiceException.Kind.UNREACHABLE) {
            backlog.removeIf(taggedRequest -> !taggedRequest.survivesTimeout(why));
        }
    }

    // Resuming

    private void takeInventory(ResumedState listed) {
        long askedAt = now();
        sendCommand(
                "mine",
                Long.toString(listed.last()),
                answer -> {
                    confirm(askedAt);
                    if (listed.add(answer, askedAt)) {
                        takeInventory(listed);
                    } else {
                        resumedState = null;
                        reconcile(listed);
                    }
                });
    }

    private void confirm(long sentAt) {
        if (heartbeat != null) {
            heartbeat.confirm(sentAt);
        }
    }

    private void reconcile(ResumedState listed) {
        for (TaggedHold hold : List.copyOf(holds.values())) {
            // One that was in line when it was listed has been granted since.
            if (!listed.isHeld(hold.tag()) && listed.waitingAt(hold.tag()) == null) {
                holds.remove(hold.tag());
                hold.missing(now());
            }
        }
        var again = new ArrayList<TaggedRequest>();
        for (TaggedRequest taggedRequest : List.copyOf(inFlight.values())) {
            if (!(taggedRequest instanceof UnrepeatedRequest)) {
                reconcile(taggedRequest, listed, again);
            }
        }
        again.addAll(backlog);
        backlog.clear();
        backlog.addAll(again);
        if (heartbeat != null && isHolding()) {
            heartbeat.holding();
        } else if (heartbeat != null && isWaiting()) {
            heartbeat.waiting();
        }
        ready(events::restored);
    }

    private void reconcile(
            TaggedRequest taggedRequest, ResumedState listed, List<TaggedRequest> again) {
        HelloResponse known = helloResponse;
        var held = listed.held(taggedRequest.tag());
        var waitingAt = listed.waitingAt(taggedRequest.tag());
        if (taggedRequest instanceof TaggedAcquire taggedAcquire && waitingAt != null) {
            taggedRequest.stopTimer();
            taggedAcquire.foundWaiting(waitingAt);
            return;
        }
        inFlight.remove(taggedRequest.tag());
        if (taggedRequest instanceof TaggedAcquire taggedAcquire && held != null) {
            taggedRequest.stopTimer();
            taggedAcquire.foundHeld(held, known == null ? 0 : known.leaseNanos());
        } else if (taggedRequest.shouldResend(listed)) {
            again.add(taggedRequest);
        } else {
            taggedRequest.stopTimer();
        }
    }

    // Lines

    private void received(LineChannel from, String line) {
        try {
            int blank = line.indexOf(' ');
            String first = blank < 0 ? line : line.substring(0, blank);
            String rest = blank < 0 ? "" : line.substring(blank + 1);
            if (first.equals("sig")) {
                sessionListeners.signal(rest);
            } else if (first.equals("lost")) {
                lost(rest);
            } else if (!first.isEmpty() && first.chars().allMatch(Character::isDigit)) {
                answered(first, rest);
            }
        } catch (BadLineException e) {
            LOG.log(System.Logger.Level.WARNING, address() + ": " + e.getMessage());
            from.close();
        }
    }

    private void answered(String tag, String answer) throws BadLineException {
        TaggedRequest taggedRequest;
        try {
            taggedRequest = inFlight.remove(Long.parseLong(tag));
        } catch (NumberFormatException e) {
            throw new BadLineException("a tag that is too long");
        }
        if (taggedRequest == null) {
            LOG.log(System.Logger.Level.WARNING, address() + " answered what was not asked");
            return;
        }
        try {
            taggedRequest.answer(answer);
        } catch (BadLineException e) {
            if (taggedRequest.survivesDisconnect(unknown(e))) {
                inFlight.put(
                        taggedRequest.tag(),
                        taggedRequest); // its fate is settled with the connection's
            }
            throw e;
        }
        if (closing) {
            sendByeWhenDone();
        }
    }

    private void lost(String rest) throws BadLineException {
        int blank = rest.indexOf(' ');
        try {
            long tag = Long.parseLong(blank < 0 ? rest : rest.substring(0, blank));
            TaggedHold hold = holds.remove(tag);
            if (resumedState != null) {
                resumedState.forget(tag);
            }
            if (hold != null) {
                boolean released = rest.endsWith(" released");
                hold.lose(released ? GrantedHold.Loss.RELEASED : GrantedHold.Loss.EXPIRED);
            }
        } catch (NumberFormatException e) {
            throw new BadLineException("a loss without a tag");
        }
    }

    /** How long the connection may be without a word: what the server bears, or we do. */
    private long silenceNanos(HelloResponse answer) {
        long ours = config.readTimeout().toNanos();
        return answer.readNanos() > 0 ? Math.min(ours, answer.readNanos()) : ours;
    }

    /** The server may have given the session up, though the connection seems to be there. */
    void onSilence(LineChannel from) {
        if (from == lineChannel) {
            disconnected(new IOException("no response within the session grace period"));
            from.close();
        }
    }

    boolean isHolding() {
        return !holds.isEmpty();
    }

    boolean isWaiting() {
        return inFlight.values().stream().anyMatch(TaggedAcquire.class::isInstance);
    }

    /**
     * Whether what the server granted in answer to a request that was sent then is ours still. An
     * answer may have been so long on its way that the server has given the session up meanwhile.
     */
    boolean isConfirmedSince(long sentAt) {
        confirm(sentAt);
        return heartbeat == null || heartbeat.isKept();
    }

    /** Asks again what became of it, over another connection. */
    void recheck(TaggedRequest taggedRequest) {
        inFlight.put(taggedRequest.tag(), taggedRequest);
        if (lineChannel != null) {
            onSilence(lineChannel);
        }
    }

    // Requests

    /** Sends it, or keeps it until it can be. */
    void submit(TaggedRequest taggedRequest) {
        if (closing || phase == Phase.CLOSED) {
            if (closing && phase != Phase.CLOSED && lineChannel != null && !byeSent) {
                if (taggedRequest instanceof RenewOrReleaseRequest) {
                    send(taggedRequest);
                    return;
                }
            }
            taggedRequest.closed(closed());
        } else if (phase == Phase.ONLINE) {
            taggedRequest.stopTimer();
            if (!taggedRequest.isOver(now())) {
                send(taggedRequest);
            }
        } else {
            backlog.add(taggedRequest);
            startOfflineTimeout(taggedRequest);
        }
    }

    /** Keeps it for the next connection: this one does not take it. */
    void submitAfterThisConnection(TaggedRequest taggedRequest) {
        taggedRequest.unsent();
        backlog.add(taggedRequest);
        startOfflineTimeout(taggedRequest);
    }

    private void send(TaggedRequest taggedRequest) {
        LineChannel open = lineChannel;
        if (open != null) {
            long tag = nextTag++;
            String lines = taggedRequest.lines(tag, now());
            inFlight.put(tag, taggedRequest);
            open.send(lines);
            if (taggedRequest instanceof TaggedAcquire && heartbeat != null) {
                heartbeat.waiting();
            }
        }
    }

    /** What a request without a connection waits for at most. */
    private void startOfflineTimeout(TaggedRequest taggedRequest) {
        int timing = taggedRequest.stopTimer();
        long patience = taggedRequest.offlineTimeoutNanos(now(), config.connectTimeout().toNanos());
        if (patience != TaggedRequest.NO_TIMEOUT) {
            taggedRequest.startTimer(
                    timerClock.schedule(
                            patience, () -> run(() -> offlineTimedOut(taggedRequest, timing))));
        }
    }

    private void offlineTimedOut(TaggedRequest taggedRequest, int timing) {
        if (!taggedRequest.isTiming(timing)) {
            return;
        }
        taggedRequest.stopTimer();
        if (!taggedRequest.survivesTimeout(
                taggedRequest.wasSent() ? unknown(failure) : unreachable())) {
            backlog.remove(taggedRequest);
            inFlight.remove(taggedRequest.tag(), taggedRequest);
        }
    }

    /** Asks something for ourselves; there is no answer if the connection ends before it. */
    void sendCommand(String command, String argument, UnrepeatedRequest.ReplyHandler then) {
        sendCommand(command, "_", argument, then);
    }

    void sendCommand(
            String command, String key, String argument, UnrepeatedRequest.ReplyHandler then) {
        send(new UnrepeatedRequest(command, key, argument, then, unused -> {}));
    }

    boolean isOnline() {
        return phase == Phase.ONLINE;
    }

    /** Gives a wait up that is under way. */
    void cancel(TaggedAcquire taggedAcquire) {
        if (backlog.remove(taggedAcquire)) {
            taggedAcquire.closed(closed());
        } else if (phase == Phase.SUSPENDED) {
            taggedAcquire.survivesDisconnect(unknown(null));
        } else if (inFlight.get(taggedAcquire.tag()) == taggedAcquire
                && (phase == Phase.ONLINE || phase == Phase.RESUMING)) {
            sendCommand("cancel", Long.toString(taggedAcquire.tag()), unused -> {});
        }
    }

    // Holds

    TaggedHold granted(
            AcquireRequest what, long tag, String token, long leaseNanos, long askedAtNanos) {
        HelloResponse known = helloResponse;
        String session = known == null ? "" : known.session();
        var hold =
                new TaggedHold(
                        this, session, what, tag, token, leaseNanos, askedAtNanos, heartbeat);
        holds.put(tag, hold);
        if (heartbeat != null) {
            heartbeat.holding();
        }
        return hold;
    }

    void forget(TaggedHold hold) {
        holds.remove(hold.tag(), hold);
    }

    // The end

    boolean isClosing() {
        return closing;
    }

    void beginClose() {
        if (closing) {
            return;
        }
        closing = true;
        if (lineChannel == null || phase == Phase.CLOSED) {
            finishClose();
            return;
        }
        var all = new ArrayList<>(inFlight.values());
        all.addAll(backlog);
        for (TaggedRequest taggedRequest : all) {
            boolean unsent = backlog.remove(taggedRequest);
            if (taggedRequest instanceof RenewOrReleaseRequest
                    && (unsent || phase == Phase.RESUMING)) {
                inFlight.remove(taggedRequest.tag(), taggedRequest);
                taggedRequest.stopTimer();
                send(taggedRequest);
            } else if (unsent) {
                backlog.add(taggedRequest);
            } else if (taggedRequest instanceof TaggedAcquire taggedAcquire
                    && taggedAcquire.isUnbound()) {
                sendCommand("cancel", Long.toString(taggedAcquire.tag()), unused -> {});
            }
        }
        sendByeWhenDone();
    }

    /** What is unbound does not end with the session: its waits and releases have to end before. */
    private void sendByeWhenDone() {
        if (byeSent) {
            return;
        }
        for (TaggedRequest taggedRequest : inFlight.values()) {
            if ((taggedRequest instanceof TaggedAcquire taggedAcquire && taggedAcquire.isUnbound())
                    || (taggedRequest instanceof RenewOrReleaseRequest<?> about
                            && about.hold.isUnbound())) {
                return;
            }
        }
        sendBye();
    }

    void sendBye() {
        if (!byeSent && lineChannel != null) {
            byeSent = true;
            sendCommand("bye", "_", unused -> finishClose());
        }
    }

    /** Everybody gets an answer now. */
    void finishClose() {
        if (phase == Phase.CLOSED) {
            return;
        }
        phase = Phase.CLOSED;
        closing = true;
        cancel(graceTimer);
        stopHeartbeat();
        LineChannel open = lineChannel;
        lineChannel = null;
        if (open != null) {
            open.close();
        }
        var all = new ArrayList<>(inFlight.values());
        all.addAll(backlog);
        inFlight.clear();
        backlog.clear();
        holds.clear();
        for (TaggedRequest taggedRequest : all) {
            taggedRequest.stopTimer();
            taggedRequest.closed(closed());
        }
        sessionListeners.closed(closed());
        onEnd.run();
        ended.countDown();
    }

    private static void cancel(TimerClock.@Nullable Timer timer) {
        if (timer != null) {
            timer.cancel();
        }
    }

    // Failures

    ServiceException unreachable() {
        ServiceException known = failure;
        return known != null ? known : LineSocket.unreachable(address(), "no connection", null);
    }

    private ServiceException unknown(@Nullable Throwable why) {
        return new ServiceException(
                ServiceException.Kind.OUTCOME_UNKNOWN,
                "The connection to " + address() + " ended before the answer",
                "",
                why);
    }

    ServiceException refused(String answer) {
        return new ServiceException(
                ServiceException.Kind.REFUSED, address() + " answered " + answer, answer, null);
    }

    ServiceException closed() {
        return new ServiceException(
                ServiceException.Kind.CLOSED,
                "The client of " + address() + " is closed",
                "",
                null);
    }
}
