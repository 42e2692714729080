package io.holdfast.client.wire;

import io.holdfast.client.service.Acquisition;
import io.holdfast.client.service.GrantedHold;
import io.holdfast.client.service.ServiceEvents;
import io.holdfast.client.service.ServiceException;
import io.holdfast.client.service.Timeline;

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
 * server as it takes. Everything but what says otherwise runs in its {@link Serial}, so that
 * nothing here happens at the same time as anything else.
 *
 * <p>Every request is in one place: the backlog until it is sent, in flight until it is answered.
 */
final class Session implements Link.Watcher {
    private static final System.Logger LOG = System.getLogger(Session.class.getName());

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
    private final Timeline timeline;
    private final Serial serial;
    private final Map<Long, Request> inFlight = new LinkedHashMap<>(); // by tag, ascending
    private final Set<Request> backlog = new LinkedHashSet<>();
    private final Map<Long, TaggedHold> holds = new HashMap<>(); // of this session, by tag
    private final Listeners listeners = new Listeners(this);
    private final CountDownLatch ended = new CountDownLatch(1);

    private Phase phase = Phase.LOST;
    private @Nullable Channel channel;
    private volatile @Nullable Hello hello;
    private volatile String address; // of the server that it is connected to, or was last
    private boolean hadSession;
    private long nextTag = 1;
    private Timeline.@Nullable Timer graceTimer;
    private volatile @Nullable Pulse pulse; // of the channel
    private volatile @Nullable Pulse lastPulse; // stopped or not
    private volatile boolean up; // whether it is known what the session has
    private volatile long helloAskedAt; // before the last one was sent
    private int suspensions;
    private @Nullable ServiceException failure;
    private @Nullable Inventory inventory; // while resuming
    private Runnable onEnd = () -> {};
    private boolean closing;
    private boolean saidBye;

    Session(WireConfig config, ServiceEvents events, Timeline timeline) {
        this.config = config;
        this.events = events;
        this.timeline = timeline;
        this.serial = new Serial(config.executor());
        this.address = LineSocket.text(config.addresses().get(0));
        this.helloAskedAt = timeline.nanoTime();
    }

    // For everybody, on any thread

    void run(Runnable task) {
        serial.run(task);
    }

    boolean isHere() {
        return serial.isHere();
    }

    long now() {
        return timeline.nanoTime();
    }

    Timeline timeline() {
        return timeline;
    }

    String address() {
        return address;
    }

    Listeners listeners() {
        return listeners;
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
    GrantedHold.Certainty certainty(@Nullable Pulse heardOn) {
        Pulse last = lastPulse;
        if (last != null && !last.isKept()) {
            return GrantedHold.Certainty.GONE;
        }
        // Of what was granted while the session is being resumed, nobody has to ask.
        boolean known = up || (heardOn != null && heardOn == pulse);
        return known ? GrantedHold.Certainty.HELD : GrantedHold.Certainty.IN_DOUBT;
    }

    /** Whether a session outlives its connection; true before there is one. */
    boolean canResume() {
        Hello known = hello;
        return known == null || known.graceNanos() > 0;
    }

    // The link

    @Override
    public @Nullable Hello resumable() {
        helloAskedAt = now();
        return hello;
    }

    @Override
    public void up(Channel open, Hello answer) {
        long askedAt = helloAskedAt;
        run(() -> connected(open, answer, askedAt));
    }

    @Override
    public void line(Channel from, String line) {
        run(
                () -> {
                    if (from == channel) {
                        heard(from, line);
                    }
                });
    }

    @Override
    public void down(Channel from, IOException why) {
        run(
                () -> {
                    if (from == channel) {
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

    private void connected(Channel open, Hello answer, long askedAt) {
        if (phase == Phase.CLOSED) {
            open.close();
            return;
        }
        hello = answer;
        if (answer.resumed() && phase == Phase.LOST) {
            // Too late: its holds were given up for lost, so it must not keep them.
            hello = null;
            open.send(nextTag++ + " bye\n_\n_\n");
            return;
        }
        failure = null;
        if (!answer.resumed() && phase == Phase.SUSPENDED) {
            lose();
        }
        channel = open;
        address = open.address();
        events.server(address);
        cancel(graceTimer);
        Pulse next = new Pulse(this, open, silenceNanos(answer), answer.graceNanos(), askedAt);
        pulse = next;
        lastPulse = next;
        if (answer.resumed()) {
            phase = Phase.RESUMING;
            var listed = new Inventory(answer.session());
            inventory = listed;
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
        Serial.guard(event);
        for (Request request : List.copyOf(backlog)) {
            if (phase == Phase.ONLINE && backlog.remove(request)) {
                submit(request);
            }
        }
        listeners.connected();
    }

    private void disconnected(IOException why) {
        boolean wasOnline = phase == Phase.ONLINE;
        Pulse last = pulse;
        channel = null;
        inventory = null;
        stopPulse();
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
            Serial.guard(events::suspended);
        }
        listeners.disconnected();
        var unknown = unknown(why);
        for (Request request : List.copyOf(inFlight.values())) {
            if (request.staysWithoutConnection(unknown)) {
                watchPatience(request);
            } else {
                inFlight.remove(request.tag());
            }
        }
        long grace = graceLeft(last);
        if (grace <= 0) {
            lose();
        } else {
            int which = ++suspensions;
            graceTimer = timeline.schedule(grace, () -> run(() -> graceOver(which)));
        }
    }

    /** What holds nothing may try to resume a little longer than the server is sure to wait. */
    private long graceLeft(@Nullable Pulse last) {
        Hello known = hello;
        if (known == null || last == null || known.graceNanos() == 0 || holds.isEmpty()) {
            return known == null ? 0 : known.graceNanos();
        }
        return last.keptUntil() - now();
    }

    private void stopPulse() {
        if (pulse != null) {
            pulse.stop();
            pulse = null;
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
        Serial.guard(events::lost);
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
        for (Request request : all) {
            if (request.staysWithoutSession()) {
                backlog.add(request);
            } else {
                request.stopTimer();
            }
        }
        giveUpIfRefused();
    }

    /** A server that does not want us will not want us soon; one that is away may come back. */
    private void giveUpIfRefused() {
        ServiceException why = failure;
        if (phase == Phase.LOST && why != null && why.kind() != ServiceException.Kind.UNREACHABLE) {
            backlog.removeIf(request -> !request.staysAfterPatience(why));
        }
    }

    // Resuming

    private void takeInventory(Inventory listed) {
        long askedAt = now();
        ask(
                "mine",
                Long.toString(listed.last()),
                answer -> {
                    confirm(askedAt);
                    if (listed.add(answer, askedAt)) {
                        takeInventory(listed);
                    } else {
                        inventory = null;
                        settle(listed);
                    }
                });
    }

    private void confirm(long sentAt) {
        if (pulse != null) {
            pulse.confirm(sentAt);
        }
    }

    private void settle(Inventory listed) {
        for (TaggedHold hold : List.copyOf(holds.values())) {
            // One that was in line when it was listed has been granted since.
            if (!listed.isHeld(hold.tag()) && listed.waitingAt(hold.tag()) == null) {
                holds.remove(hold.tag());
                hold.missing(now());
            }
        }
        var again = new ArrayList<Request>();
        for (Request request : List.copyOf(inFlight.values())) {
            if (!(request instanceof Question)) {
                settle(request, listed, again);
            }
        }
        again.addAll(backlog);
        backlog.clear();
        backlog.addAll(again);
        if (pulse != null && isHolding()) {
            pulse.holding();
        } else if (pulse != null && isWaiting()) {
            pulse.waiting();
        }
        ready(events::restored);
    }

    private void settle(Request request, Inventory listed, List<Request> again) {
        Hello known = hello;
        var held = listed.held(request.tag());
        var waitingAt = listed.waitingAt(request.tag());
        if (request instanceof Acquire acquire && waitingAt != null) {
            request.stopTimer();
            acquire.foundWaiting(waitingAt);
            return;
        }
        inFlight.remove(request.tag());
        if (request instanceof Acquire acquire && held != null) {
            request.stopTimer();
            acquire.foundHeld(held, known == null ? 0 : known.leaseNanos());
        } else if (request.repeats(listed)) {
            again.add(request);
        } else {
            request.stopTimer();
        }
    }

    // Lines

    private void heard(Channel from, String line) {
        try {
            int blank = line.indexOf(' ');
            String first = blank < 0 ? line : line.substring(0, blank);
            String rest = blank < 0 ? "" : line.substring(blank + 1);
            if (first.equals("sig")) {
                listeners.signal(rest);
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
        Request request;
        try {
            request = inFlight.remove(Long.parseLong(tag));
        } catch (NumberFormatException e) {
            throw new BadLineException("a tag that is too long");
        }
        if (request == null) {
            LOG.log(System.Logger.Level.WARNING, address() + " answered what was not asked");
            return;
        }
        try {
            request.answer(answer);
        } catch (BadLineException e) {
            if (request.staysWithoutConnection(unknown(e))) {
                inFlight.put(request.tag(), request); // its fate is settled with the connection's
            }
            throw e;
        }
        if (closing) {
            sayByeWhenDone();
        }
    }

    private void lost(String rest) throws BadLineException {
        int blank = rest.indexOf(' ');
        try {
            long tag = Long.parseLong(blank < 0 ? rest : rest.substring(0, blank));
            TaggedHold hold = holds.remove(tag);
            if (inventory != null) {
                inventory.forget(tag);
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
    private long silenceNanos(Hello answer) {
        long ours = config.readTimeout().toNanos();
        return answer.readNanos() > 0 ? Math.min(ours, answer.readNanos()) : ours;
    }

    /** The server may have given the session up, though the connection seems to be there. */
    void silent(Channel from) {
        if (from == channel) {
            disconnected(new IOException("no answer for as long as the server keeps a session"));
            from.close();
        }
    }

    boolean isHolding() {
        return !holds.isEmpty();
    }

    boolean isWaiting() {
        return inFlight.values().stream().anyMatch(Acquire.class::isInstance);
    }

    /**
     * Whether what the server granted in answer to a request that was sent then is ours still. An
     * answer may have been so long on its way that the server has given the session up meanwhile.
     */
    boolean isSureOf(long sentAt) {
        confirm(sentAt);
        return pulse == null || pulse.isKept();
    }

    /** Asks again what became of it, over another connection. */
    void doubt(Request request) {
        inFlight.put(request.tag(), request);
        if (channel != null) {
            silent(channel);
        }
    }

    // Requests

    /** Sends it, or keeps it until it can be. */
    void submit(Request request) {
        if (closing || phase == Phase.CLOSED) {
            if (closing && phase != Phase.CLOSED && channel != null && !saidBye) {
                if (request instanceof HoldRequest) {
                    send(request);
                    return;
                }
            }
            request.closed(closed());
        } else if (phase == Phase.ONLINE) {
            request.stopTimer();
            if (!request.isOver(now())) {
                send(request);
            }
        } else {
            backlog.add(request);
            watchPatience(request);
        }
    }

    /** Keeps it for the next connection: this one does not take it. */
    void submitAfterThisConnection(Request request) {
        request.unsent();
        backlog.add(request);
        watchPatience(request);
    }

    private void send(Request request) {
        Channel open = channel;
        if (open != null) {
            long tag = nextTag++;
            String lines = request.lines(tag, now());
            inFlight.put(tag, request);
            open.send(lines);
            if (request instanceof Acquire && pulse != null) {
                pulse.waiting();
            }
        }
    }

    /** What a request without a connection waits for at most. */
    private void watchPatience(Request request) {
        int timing = request.stopTimer();
        long patience = request.patienceNanos(now(), config.connectTimeout().toNanos());
        if (patience != Request.PATIENT) {
            request.startTimer(
                    timeline.schedule(patience, () -> run(() -> patienceOver(request, timing))));
        }
    }

    private void patienceOver(Request request, int timing) {
        if (!request.isTiming(timing)) {
            return;
        }
        request.stopTimer();
        if (!request.staysAfterPatience(request.wasSent() ? unknown(failure) : unreachable())) {
            backlog.remove(request);
            inFlight.remove(request.tag(), request);
        }
    }

    /** Asks something for ourselves; there is no answer if the connection ends before it. */
    void ask(String command, String argument, Question.Answered then) {
        ask(command, "_", argument, then);
    }

    void ask(String command, String key, String argument, Question.Answered then) {
        send(new Question(command, key, argument, then, unused -> {}));
    }

    boolean isOnline() {
        return phase == Phase.ONLINE;
    }

    /** Gives a wait up that is under way. */
    void cancel(Acquire acquire) {
        if (backlog.remove(acquire)) {
            acquire.closed(closed());
        } else if (phase == Phase.SUSPENDED) {
            acquire.staysWithoutConnection(unknown(null));
        } else if (inFlight.get(acquire.tag()) == acquire
                && (phase == Phase.ONLINE || phase == Phase.RESUMING)) {
            ask("cancel", Long.toString(acquire.tag()), unused -> {});
        }
    }

    // Holds

    TaggedHold granted(
            Acquisition what, long tag, String token, long leaseNanos, long askedAtNanos) {
        Hello known = hello;
        String session = known == null ? "" : known.session();
        var hold = new TaggedHold(this, session, what, tag, token, leaseNanos, askedAtNanos, pulse);
        holds.put(tag, hold);
        if (pulse != null) {
            pulse.holding();
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
        if (channel == null || phase == Phase.CLOSED) {
            finishClose();
            return;
        }
        var all = new ArrayList<>(inFlight.values());
        all.addAll(backlog);
        for (Request request : all) {
            boolean unsent = backlog.remove(request);
            if (request instanceof HoldRequest && (unsent || phase == Phase.RESUMING)) {
                inFlight.remove(request.tag(), request);
                request.stopTimer();
                send(request);
            } else if (unsent) {
                backlog.add(request);
            } else if (request instanceof Acquire acquire && acquire.isUnbound()) {
                ask("cancel", Long.toString(acquire.tag()), unused -> {});
            }
        }
        sayByeWhenDone();
    }

    /** What is unbound does not end with the session: its waits and releases have to end before. */
    private void sayByeWhenDone() {
        if (saidBye) {
            return;
        }
        for (Request request : inFlight.values()) {
            if ((request instanceof Acquire acquire && acquire.isUnbound())
                    || (request instanceof HoldRequest<?> about && about.hold.isUnbound())) {
                return;
            }
        }
        sayBye();
    }

    void sayBye() {
        if (!saidBye && channel != null) {
            saidBye = true;
            ask("bye", "_", unused -> finishClose());
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
        stopPulse();
        Channel open = channel;
        channel = null;
        if (open != null) {
            open.close();
        }
        var all = new ArrayList<>(inFlight.values());
        all.addAll(backlog);
        inFlight.clear();
        backlog.clear();
        holds.clear();
        for (Request request : all) {
            request.stopTimer();
            request.closed(closed());
        }
        listeners.closed(closed());
        onEnd.run();
        ended.countDown();
    }

    private static void cancel(Timeline.@Nullable Timer timer) {
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
