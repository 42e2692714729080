package io.holdfast.client.internal.wire;

import io.holdfast.client.internal.service.AcquireRequest;
import io.holdfast.client.internal.service.GrantedHold;
import io.holdfast.client.internal.service.ServiceConfig;
import io.holdfast.client.internal.service.ServiceEvents;
import io.holdfast.client.internal.service.ServiceException;
import io.holdfast.client.internal.service.TimerClock;
import io.holdfast.client.internal.thread.SerialExecutor;

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
 * The requests, the holds and the state of the connection, across reconnects and sessions at the
 * server. Unless stated otherwise everything runs in its {@link SerialExecutor}, so that nothing
 * here runs concurrently.
 *
 * <p>Each request is in one collection: in the backlog until it is sent, in flight until its
 * response arrives.
 */
final class ClientSession implements ReconnectingConnection.ConnectionListener {
    private static final System.Logger LOG = System.getLogger(ClientSession.class.getName());

    private enum Phase {
        /** No session: all holds are lost. */
        LOST,
        /** No connection; the session may still exist at the server. */
        SUSPENDED,
        /**
         * Connected with a resumed session, while the list of its holds and waiters is requested.
         */
        RESUMING,
        ONLINE,
        CLOSED
    }

    private final ServiceConfig config;
    private final ServiceEvents events;
    private final TimerClock timerClock;
    private final SerialExecutor serialExecutor;
    private final Map<Long, TaggedRequest> inFlight = new LinkedHashMap<>(); // by tag, ascending
    private final Set<TaggedRequest> backlog = new LinkedHashSet<>();
    private final Map<Long, TaggedHold> holds = new HashMap<>(); // of this session, by tag
    private final SessionSubscriptions sessionSubscriptions = new SessionSubscriptions(this);
    private final CountDownLatch ended = new CountDownLatch(1);

    private Phase phase = Phase.LOST;
    private @Nullable AsyncLineSocket asyncLineSocket;
    private volatile @Nullable HelloResponse helloResponse;
    private volatile String address; // of the current server, or of the last one
    private boolean hadSession;
    private long nextTag = 1;
    private TimerClock.@Nullable Timer graceTimer;
    private volatile @Nullable SessionHeartbeat heartbeat; // of the current channel
    private volatile @Nullable SessionHeartbeat lastHeartbeat; // of the current or the last channel
    private volatile boolean up; // online: the state of the session is known
    private volatile long helloSentAt; // when the last hello was sent, at the earliest
    private int suspensions;
    private @Nullable ServiceException failure;
    private @Nullable ResumedState resumedState; // while resuming
    private Runnable onEnd = () -> {};
    private boolean closing;
    private boolean byeSent;

    ClientSession(ServiceConfig config, ServiceEvents events, TimerClock timerClock) {
        this.config = config;
        this.events = events;
        this.timerClock = timerClock;
        this.serialExecutor = SerialExecutor.onCallers(config.executor());
        this.address = LineSocket.text(config.addresses().get(0));
        this.helloSentAt = timerClock.nanoTime();
    }

    // Callable on any thread

    void run(Runnable task) {
        serialExecutor.execute(task);
    }

    boolean isCurrentThread() {
        return serialExecutor.isCurrentThread();
    }

    long now() {
        return timerClock.nanoTime();
    }

    TimerClock clock() {
        return timerClock;
    }

    String address() {
        return address;
    }

    SessionSubscriptions listeners() {
        return sessionSubscriptions;
    }

    /**
     * Sets the action that runs when this session has been closed; must be called before any event.
     */
    void onEnd(Runnable action) {
        onEnd = action;
    }

    /** Reaches zero when the close that {@link #beginClose} started has ended. */
    CountDownLatch ended() {
        return ended;
    }

    /**
     * Whether the server is known to still have a hold.
     *
     * @param grantedOn the heartbeat of the connection on which the hold was granted or listed
     */
    GrantedHold.Certainty certainty(@Nullable SessionHeartbeat grantedOn) {
        SessionHeartbeat last = lastHeartbeat;
        if (last != null && !last.isKept()) {
            return GrantedHold.Certainty.GONE;
        }
        // A hold that was granted while the session is being resumed needs no confirmation.
        boolean known = up || (grantedOn != null && grantedOn == heartbeat);
        return known ? GrantedHold.Certainty.HELD : GrantedHold.Certainty.UNKNOWN;
    }

    /** Whether sessions outlive their connection; true before the first session. */
    boolean canResume() {
        HelloResponse known = helloResponse;
        return known == null || known.graceNanos() > 0;
    }

    // Events of the connection, on its thread

    @Override
    public @Nullable HelloResponse resumable() {
        helloSentAt = now();
        return helloResponse;
    }

    @Override
    public void up(AsyncLineSocket open, HelloResponse hello) {
        long sentAt = helloSentAt;
        run(() -> connected(open, hello, sentAt));
    }

    @Override
    public void line(AsyncLineSocket from, String line) {
        run(
                () -> {
                    if (from == asyncLineSocket) {
                        received(from, line);
                    }
                });
    }

    @Override
    public void down(AsyncLineSocket from, IOException why) {
        run(
                () -> {
                    if (from == asyncLineSocket) {
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
                    failBacklogIfRefused();
                });
    }

    private void connected(AsyncLineSocket open, HelloResponse hello, long helloSentAt) {
        if (phase == Phase.CLOSED) {
            open.close();
            return;
        }
        helloResponse = hello;
        if (hello.resumed() && phase == Phase.LOST) {
            // Too late: its holds have been reported as lost, so the session must end.
            helloResponse = null;
            open.send(nextTag++ + " bye\n_\n_\n");
            return;
        }
        failure = null;
        if (!hello.resumed() && phase == Phase.SUSPENDED) {
            lose();
        }
        asyncLineSocket = open;
        address = open.address();
        events.server(address);
        cancel(graceTimer);
        SessionHeartbeat next =
                new SessionHeartbeat(
                        this, open, silenceNanos(hello), hello.graceNanos(), helloSentAt);
        heartbeat = next;
        lastHeartbeat = next;
        if (hello.resumed()) {
            phase = Phase.RESUMING;
            var listed = new ResumedState(hello.session());
            resumedState = listed;
            requestInventory(listed);
            if (isHolding()) {
                next.holding(); // the session may end before its holds have been listed
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
        SerialExecutor.guard(event);
        for (TaggedRequest taggedRequest : List.copyOf(backlog)) {
            if (phase == Phase.ONLINE && backlog.remove(taggedRequest)) {
                submit(taggedRequest);
            }
        }
        sessionSubscriptions.connected();
    }

    private void disconnected(IOException why) {
        boolean wasOnline = phase == Phase.ONLINE;
        SessionHeartbeat last = heartbeat;
        asyncLineSocket = null;
        resumedState = null;
        stopHeartbeat();
        if (closing) {
            finishClose();
            return;
        }
        LOG.log(
                System.Logger.Level.DEBUG,
                "The connection to " + address() + " ended: " + ConnectionFailureText.reason(why));
        phase = Phase.SUSPENDED;
        up = false;
        if (wasOnline) {
            SerialExecutor.guard(events::suspended);
        }
        sessionSubscriptions.disconnected();
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
            graceTimer = timerClock.schedule(grace, () -> run(() -> graceEnded(which)));
        }
    }

    /**
     * The remaining time for a resume. With holds it counts from the last confirmation by the
     * server; a session without holds may try for the full grace period from now.
     */
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

    private void graceEnded(int which) {
        if (phase == Phase.SUSPENDED && which == suspensions) {
            lose();
        }
    }

    /** The session has ended, and with it all its holds and waiters. */
    private void lose() {
        phase = Phase.LOST;
        SerialExecutor.guard(events::lost);
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
        failBacklogIfRefused();
    }

    /**
     * Fails the backlog if the server rejects this client. If the server is only unreachable, the
     * backlog waits for it.
     */
    private void failBacklogIfRefused() {
        ServiceException why = failure;
        if (phase == Phase.LOST && why != null && why.kind() != ServiceException.Kind.UNREACHABLE) {
            backlog.removeIf(taggedRequest -> !taggedRequest.survivesTimeout(why));
        }
    }

    // Resume

    private void requestInventory(ResumedState listed) {
        long sentAt = now();
        sendCommand(
                "mine",
                Long.toString(listed.last()),
                response -> {
                    confirm(sentAt);
                    if (listed.add(response, sentAt)) {
                        requestInventory(listed);
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
            // A hold that was listed as a waiter has been granted since then.
            if (!listed.isHeld(hold.tag()) && listed.waitingAt(hold.tag()) == null) {
                holds.remove(hold.tag());
                hold.missing(now());
            }
        }
        var resend = new ArrayList<TaggedRequest>();
        for (TaggedRequest taggedRequest : List.copyOf(inFlight.values())) {
            if (!(taggedRequest instanceof UnrepeatedRequest)) {
                reconcile(taggedRequest, listed, resend);
            }
        }
        resend.addAll(backlog);
        backlog.clear();
        backlog.addAll(resend);
        if (heartbeat != null && isHolding()) {
            heartbeat.holding();
        } else if (heartbeat != null && isWaiting()) {
            heartbeat.waiting();
        }
        ready(events::restored);
    }

    private void reconcile(
            TaggedRequest taggedRequest, ResumedState listed, List<TaggedRequest> resend) {
        HelloResponse known = helloResponse;
        var held = listed.held(taggedRequest.tag());
        var waitingAt = listed.waitingAt(taggedRequest.tag());
        if (taggedRequest instanceof TaggedAcquireAttempt taggedAcquireAttempt
                && waitingAt != null) {
            taggedRequest.stopTimer();
            taggedAcquireAttempt.foundWaiting(waitingAt);
            return;
        }
        inFlight.remove(taggedRequest.tag());
        if (taggedRequest instanceof TaggedAcquireAttempt taggedAcquireAttempt && held != null) {
            taggedRequest.stopTimer();
            taggedAcquireAttempt.foundHeld(held, known == null ? 0 : known.leaseNanos());
        } else if (taggedRequest.shouldResend(listed)) {
            resend.add(taggedRequest);
        } else {
            taggedRequest.stopTimer();
        }
    }

    // Lines

    private void received(AsyncLineSocket from, String line) {
        try {
            int space = line.indexOf(' ');
            String first = space < 0 ? line : line.substring(0, space);
            String rest = space < 0 ? "" : line.substring(space + 1);
            if (first.equals("sig")) {
                sessionSubscriptions.signal(rest);
            } else if (first.equals("lost")) {
                lost(rest);
            } else if (!first.isEmpty() && first.chars().allMatch(Character::isDigit)) {
                onResponse(first, rest);
            }
        } catch (BadLineException e) {
            LOG.log(System.Logger.Level.WARNING, address() + ": " + e.getMessage());
            from.close();
        }
    }

    private void onResponse(String tag, String response) throws BadLineException {
        TaggedRequest taggedRequest;
        try {
            taggedRequest = inFlight.remove(Long.parseLong(tag));
        } catch (NumberFormatException e) {
            throw new BadLineException("a tag out of range");
        }
        if (taggedRequest == null) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    address() + " sent a response to no pending request; ignored");
            return;
        }
        try {
            taggedRequest.onResponse(response);
        } catch (BadLineException e) {
            if (taggedRequest.survivesDisconnect(unknown(e))) {
                inFlight.put(
                        taggedRequest.tag(),
                        taggedRequest); // handled again when the connection ends
            }
            throw e;
        }
        if (closing) {
            sendByeWhenDone();
        }
    }

    private void lost(String rest) throws BadLineException {
        int space = rest.indexOf(' ');
        try {
            long tag = Long.parseLong(space < 0 ? rest : rest.substring(0, space));
            TaggedHold hold = holds.remove(tag);
            if (resumedState != null) {
                resumedState.remove(tag);
            }
            if (hold != null) {
                boolean released = rest.endsWith(" released");
                hold.lose(released ? GrantedHold.Loss.RELEASED : GrantedHold.Loss.EXPIRED);
            }
        } catch (NumberFormatException e) {
            throw new BadLineException("a loss without a tag");
        }
    }

    /**
     * How long the connection may be idle: the smaller of the server's and the client's read
     * timeout.
     */
    private long silenceNanos(HelloResponse hello) {
        long readTimeout = config.readTimeout().toNanos();
        return hello.readNanos() > 0 ? Math.min(readTimeout, hello.readNanos()) : readTimeout;
    }

    /**
     * Closes a connection that looks open but has been silent for so long that the server may have
     * ended the session.
     */
    void onSilence(AsyncLineSocket from) {
        if (from == asyncLineSocket) {
            disconnected(new IOException("no response within the session grace period"));
            from.close();
        }
    }

    boolean isHolding() {
        return !holds.isEmpty();
    }

    boolean isWaiting() {
        return inFlight.values().stream().anyMatch(TaggedAcquireAttempt.class::isInstance);
    }

    /**
     * Whether a grant in the response to a request that was sent at this time is still valid. The
     * response may have been in flight for so long that the server has ended the session in the
     * meantime.
     */
    boolean isConfirmedSince(long sentAt) {
        confirm(sentAt);
        return heartbeat == null || heartbeat.isKept();
    }

    /** Reconnects to find out the state of the request. */
    void recheck(TaggedRequest taggedRequest) {
        inFlight.put(taggedRequest.tag(), taggedRequest);
        if (asyncLineSocket != null) {
            onSilence(asyncLineSocket);
        }
    }

    // Requests

    /** Sends a request, or adds it to the backlog until there is a connection. */
    void submit(TaggedRequest taggedRequest) {
        if (closing || phase == Phase.CLOSED) {
            if (closing && phase != Phase.CLOSED && asyncLineSocket != null && !byeSent) {
                if (taggedRequest instanceof RenewOrReleaseRequest) {
                    send(taggedRequest);
                    return;
                }
            }
            taggedRequest.closed(closed());
        } else if (phase == Phase.ONLINE) {
            taggedRequest.stopTimer();
            if (!taggedRequest.isObsolete(now())) {
                send(taggedRequest);
            }
        } else {
            backlog.add(taggedRequest);
            startOfflineTimeout(taggedRequest);
        }
    }

    /**
     * Adds a request to the backlog of the next connection, because the server is draining this
     * one.
     */
    void submitOnNextConnection(TaggedRequest taggedRequest) {
        taggedRequest.unsent();
        backlog.add(taggedRequest);
        startOfflineTimeout(taggedRequest);
    }

    private void send(TaggedRequest taggedRequest) {
        AsyncLineSocket open = asyncLineSocket;
        if (open != null) {
            long tag = nextTag++;
            String lines = taggedRequest.lines(tag, now());
            inFlight.put(tag, taggedRequest);
            open.send(lines);
            if (taggedRequest instanceof TaggedAcquireAttempt && heartbeat != null) {
                heartbeat.waiting();
            }
        }
    }

    /** Starts the timeout of a request that waits for a connection. */
    private void startOfflineTimeout(TaggedRequest taggedRequest) {
        int timerNumber = taggedRequest.stopTimer();
        long timeoutNanos =
                taggedRequest.offlineTimeoutNanos(now(), config.connectTimeout().toNanos());
        if (timeoutNanos != TaggedRequest.NO_TIMEOUT) {
            taggedRequest.startTimer(
                    timerClock.schedule(
                            timeoutNanos,
                            () -> run(() -> offlineTimedOut(taggedRequest, timerNumber))));
        }
    }

    private void offlineTimedOut(TaggedRequest taggedRequest, int timerNumber) {
        if (!taggedRequest.isCurrentTimer(timerNumber)) {
            return;
        }
        taggedRequest.stopTimer();
        if (!taggedRequest.survivesTimeout(
                taggedRequest.wasSent() ? unknown(failure) : unreachable())) {
            backlog.remove(taggedRequest);
            inFlight.remove(taggedRequest.tag(), taggedRequest);
        }
    }

    /**
     * Sends an internal command; the handler is not called if the connection ends before the
     * response.
     */
    void sendCommand(String command, String argument, UnrepeatedRequest.ReplyHandler onResponse) {
        sendCommand(command, "_", argument, onResponse);
    }

    void sendCommand(
            String command,
            String key,
            String argument,
            UnrepeatedRequest.ReplyHandler onResponse) {
        send(new UnrepeatedRequest(command, key, argument, onResponse, unused -> {}));
    }

    boolean isOnline() {
        return phase == Phase.ONLINE;
    }

    /** Cancels an acquire in progress. */
    void cancel(TaggedAcquireAttempt taggedAcquireAttempt) {
        if (backlog.remove(taggedAcquireAttempt)) {
            taggedAcquireAttempt.closed(closed());
        } else if (phase == Phase.SUSPENDED) {
            taggedAcquireAttempt.survivesDisconnect(unknown(null));
        } else if (inFlight.get(taggedAcquireAttempt.tag()) == taggedAcquireAttempt
                && (phase == Phase.ONLINE || phase == Phase.RESUMING)) {
            sendCommand("cancel", Long.toString(taggedAcquireAttempt.tag()), unused -> {});
        }
    }

    // Holds

    TaggedHold granted(
            AcquireRequest what, long tag, String token, long leaseNanos, long requestedAtNanos) {
        HelloResponse known = helloResponse;
        String session = known == null ? "" : known.session();
        var hold =
                new TaggedHold(
                        this, session, what, tag, token, leaseNanos, requestedAtNanos, heartbeat);
        holds.put(tag, hold);
        if (heartbeat != null) {
            heartbeat.holding();
        }
        return hold;
    }

    void remove(TaggedHold hold) {
        holds.remove(hold.tag(), hold);
    }

    // Close

    boolean isClosing() {
        return closing;
    }

    void beginClose() {
        if (closing) {
            return;
        }
        closing = true;
        if (asyncLineSocket == null || phase == Phase.CLOSED) {
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
            } else if (taggedRequest instanceof TaggedAcquireAttempt taggedAcquireAttempt
                    && taggedAcquireAttempt.isUnbound()) {
                sendCommand("cancel", Long.toString(taggedAcquireAttempt.tag()), unused -> {});
            }
        }
        sendByeWhenDone();
    }

    /**
     * Sends {@code bye} once no unbound wait, renewal or release is in flight: these do not end
     * with the session, so they must end before it.
     */
    private void sendByeWhenDone() {
        if (byeSent) {
            return;
        }
        for (TaggedRequest taggedRequest : inFlight.values()) {
            if ((taggedRequest instanceof TaggedAcquireAttempt taggedAcquireAttempt
                            && taggedAcquireAttempt.isUnbound())
                    || (taggedRequest instanceof RenewOrReleaseRequest<?> about
                            && about.hold.isUnbound())) {
                return;
            }
        }
        sendBye();
    }

    void sendBye() {
        if (!byeSent && asyncLineSocket != null) {
            byeSent = true;
            sendCommand("bye", "_", unused -> finishClose());
        }
    }

    /** Closes the connection and completes all open requests. */
    void finishClose() {
        if (phase == Phase.CLOSED) {
            return;
        }
        phase = Phase.CLOSED;
        closing = true;
        cancel(graceTimer);
        stopHeartbeat();
        AsyncLineSocket open = asyncLineSocket;
        asyncLineSocket = null;
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
        sessionSubscriptions.closed(closed());
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
                "The connection to " + address() + " ended before the response",
                "",
                why);
    }

    ServiceException refused(String response) {
        return new ServiceException(
                ServiceException.Kind.REFUSED,
                address() + " responded with " + response,
                response,
                null);
    }

    ServiceException closed() {
        return new ServiceException(
                ServiceException.Kind.CLOSED,
                "The client of " + address() + " is closed",
                "",
                null);
    }
}
