package io.holdfast.client.socketlock;

import io.holdfast.client.socketlock.primary.TakeoverGracePeriod;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * What one client wants and has: at most one acquire in flight, at most one lock. Callers come from
 * any thread; what goes to the primary and comes from it does so on the loop.
 */
final class ClientState implements PrimaryConnector.ConnectorListener {
    /**
     * If the loop has not looked at its connection for so long, the process may have been stopped,
     * and what it knows may be out of date. Less than any primary waits for a holder.
     */
    private static final long STALE_NANOS = TakeoverGracePeriod.LENGTH_NANOS / 2;

    private static final long CHECK_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int LOCK_ID_BYTES = 6;
    private static final Duration MAX_DURATION = Duration.ofNanos(Long.MAX_VALUE / 4);

    private final IoThread ioThread;
    private final PrimaryConnector primaryConnector;
    private final long statusNanos;
    private final Executor notices = notices();
    private final ReentrantLock monitor = new ReentrantLock();
    private final Condition changed = monitor.newCondition();
    private final UninterruptibleLatch ended = new UninterruptibleLatch();

    // Guarded by the monitor.
    private @Nullable InFlightAcquire inFlight;
    private @Nullable ClientHold clientHold;
    private boolean connectedOnce;

    /** How many threads wait in {@link #close}. */
    private int closers;

    private boolean closed;
    private @Nullable SocketLockUnavailableException lastFailure;

    // On the loop.
    private IoThread.@Nullable Timer statusTimer;
    private IoThread.@Nullable Timer endTimer;
    private IoThread.@Nullable Timer doubtTimer;
    private String reasserted = "";

    ClientState(Path path, LockConfig config, String clientId) throws IOException {
        this.statusNanos = nanos(config.statusInterval());
        this.ioThread = IoThread.start("holdfast-socketlock");
        this.primaryConnector = new PrimaryConnector(ioThread, path, config, clientId, this);
    }

    private static Executor notices() {
        var executor =
                new ThreadPoolExecutor(
                        1,
                        1,
                        1,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        task -> {
                            Thread thread = new Thread(task, "holdfast-socketlock-changes");
                            thread.setDaemon(true);
                            return thread;
                        });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** A span as nanoseconds, none if it is negative; sums with it stay far from the end. */
    static long nanos(Duration span) {
        if (span.isNegative()) {
            return 0;
        }
        return span.compareTo(MAX_DURATION) > 0 ? MAX_DURATION.toNanos() : span.toNanos();
    }

    // ---- connecting

    /** Connects, waiting so long at most. */
    void connect(Duration timeout) {
        ioThread.execute(primaryConnector::connect);
        monitor.lock();
        try {
            long left = nanos(timeout);
            while (!connectedOnce && lastFailure == null && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (connectedOnce) {
                return;
            }
            closed = true;
        } catch (InterruptedException e) {
            closed = true;
            Thread.currentThread().interrupt();
            throw new SocketLockInterruptedException(e);
        } finally {
            monitor.unlock();
            if (closed) {
                end();
            }
        }
        throw lastFailure != null
                ? here(lastFailure)
                : new SocketLockUnavailableException("no primary answers in time", null);
    }

    /** What the loop found, as if this thread had. */
    private static SocketLockException here(SocketLockException found) {
        found.fillInStackTrace();
        return found;
    }

    boolean isPrimary() {
        return primaryConnector.isPrimary();
    }

    // ---- acquiring

    SocketLock acquire(LockMode mode, AcquireOptions options, boolean interruptible) {
        Duration timeout = options.timeout();
        long deadline = System.nanoTime() + (timeout == null ? Long.MAX_VALUE / 2 : nanos(timeout));
        monitor.lock();
        try {
            while (clientHold != null) {
                if (clientHold.state == LockState.VALID && isFresh(clientHold)) {
                    return join(clientHold, mode);
                }
                // In doubt: that ends soon, one way or the other, even if nobody says so.
                await(deadline, interruptible, CHECK_INTERVAL_NANOS);
            }
            if (closers > 0 || closed) {
                throw new SocketLockClosedException();
            }
            if (inFlight != null) {
                throw new SocketLockException("multiple lock requests");
            }
            InFlightAcquire mine = new InFlightAcquire(mode, options.ttlSeconds());
            inFlight = mine;
            ioThread.execute(this::sendRequest);
            return outcome(mine, deadline, interruptible);
        } finally {
            monitor.unlock();
        }
    }

    private SocketLock join(ClientHold current, LockMode mode) {
        if (mode == LockMode.WRITE && current.mode == LockMode.READ) {
            throw new SocketLockException("write requested while read lock held");
        }
        current.uses++;
        return new SocketLock(this, current);
    }

    private SocketLock outcome(InFlightAcquire mine, long deadline, boolean interruptible) {
        try {
            while (mine.stage != InFlightAcquire.Stage.DONE) {
                await(deadline, interruptible, Long.MAX_VALUE);
            }
        } catch (SocketLockException e) {
            if (mine.stage != InFlightAcquire.Stage.DONE) {
                abandon(mine);
                throw e;
            } // else the outcome was quicker, and a lock must not get lost
        }
        if (mine.failure != null) {
            throw here(mine.failure);
        }
        if (mine.result == null) {
            throw new SocketLockException("request failed");
        }
        return mine.result;
    }

    /** Waits for a change, or throws because the time is over or the thread interrupted. */
    @SuppressWarnings("WaitNotInLoop") // callers look again
    private void await(long deadline, boolean interruptible, long mostNanos) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            throw new SocketLockTimeoutException("no lock in the time that the caller gave");
        }
        boolean interrupted = !interruptible && Thread.interrupted();
        try {
            long unused = changed.awaitNanos(Math.min(left, mostNanos));
        } catch (InterruptedException e) {
            if (interruptible) {
                Thread.currentThread().interrupt();
                throw new SocketLockInterruptedException(e);
            }
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Nobody waits for it any more. */
    private void abandon(InFlightAcquire mine) {
        boolean sent = mine.stage != InFlightAcquire.Stage.UNSENT;
        String lockId = mine.lockId;
        mine.stage = InFlightAcquire.Stage.DONE;
        inFlight = null;
        changed.signalAll();
        if (sent) {
            ioThread.execute(
                    () -> {
                        // A late failure names no lock, so no later acquire may meet it.
                        primaryConnector.send("REJECT " + lockId);
                        primaryConnector.send("EOL");
                        primaryConnector.drop();
                    });
        }
    }

    /** Sends the acquire in flight, if it can be. On the loop. */
    private void sendRequest() {
        monitor.lock();
        try {
            if (inFlight == null
                    || inFlight.stage != InFlightAcquire.Stage.UNSENT
                    || !primaryConnector.isUp()) {
                return;
            }
            inFlight.stage = InFlightAcquire.Stage.REQUESTED;
            inFlight.lockId = freshLockId();
            primaryConnector.send(
                    (inFlight.mode == LockMode.READ ? "REQREAD " : "REQWRITE ")
                            + inFlight.lockId
                            + (inFlight.ttlSeconds == 0 ? "" : " " + inFlight.ttlSeconds));
            primaryConnector.watchClosely();
        } finally {
            monitor.unlock();
        }
    }

    private static String freshLockId() {
        byte[] bytes = new byte[LOCK_ID_BYTES];
        ThreadLocalRandom.current().nextBytes(bytes);
        return "l" + HexFormat.of().formatHex(bytes);
    }

    // ---- what the primary says (on the loop)

    @Override
    public void greeted() {
        monitor.lock();
        try {
            connectedOnce = true;
            lastFailure = null;
            changed.signalAll();
            reasserted = "";
            if (clientHold != null && clientHold.state == LockState.IN_DOUBT) {
                reassert(clientHold);
            }
        } finally {
            monitor.unlock();
        }
        ioThread.execute(this::sendRequest);
    }

    private void reassert(ClientHold doubtful) {
        long now = System.nanoTime();
        if (doubtful.isOver(now)) {
            return; // the timer says so in a moment
        }
        reasserted = doubtful.lockId;
        String left = "";
        if (doubtful.limited) {
            long seconds = (doubtful.endNanos - now + 999_999_999L) / 1_000_000_000L;
            left = " " + Math.max(1, seconds);
        }
        primaryConnector.send(
                "REASSERT " + doubtful.lockId + " " + doubtful.mode + " " + doubtful.epoch + left);
        primaryConnector.send("STATUS " + doubtful.lockId);
    }

    @Override
    public void line(String verb, String rest) {
        monitor.lock();
        try {
            switch (verb) {
                case "READLOCK" -> offered(rest, LockMode.READ);
                case "WRITELOCK" -> offered(rest, LockMode.WRITE);
                case "TOKEN" -> token(rest);
                case "LOCKOK" -> isHeld(rest);
                case "LOCKTIMEOUT" -> isNotHeld(rest);
                case "REQFAIL" -> failed(rest);
                default -> {} // of a later protocol
            }
        } finally {
            monitor.unlock();
        }
    }

    private void offered(String lockId, LockMode mode) {
        InFlightAcquire mine = inFlight;
        if (mine == null
                || mine.stage != InFlightAcquire.Stage.REQUESTED
                || !mine.lockId.equals(lockId)
                || mine.mode != mode) {
            primaryConnector.send("REJECT " + lockId);
            return;
        }
        mine.stage = InFlightAcquire.Stage.CONFIRMED;
        mine.confirmedNanos = System.nanoTime(); // before the primary begins to count
        primaryConnector.send("CONFIRM " + lockId);
        primaryConnector.send("TOKEN " + lockId);
        primaryConnector.send("STATUS " + lockId);
    }

    private void token(String rest) {
        String[] words = rest.split(" ", -1);
        if (inFlight != null && words.length == 2 && words[0].equals(inFlight.lockId)) {
            try {
                inFlight.fence = Long.parseLong(words[1]);
            } catch (NumberFormatException e) {
                inFlight.fence = 0;
            }
        }
    }

    private void isHeld(String lockId) {
        if (isConfirmed(lockId)) {
            acquired();
        } else if (clientHold != null && clientHold.lockId.equals(lockId)) {
            if (clientHold.state == LockState.IN_DOUBT && lockId.equals(reasserted)) {
                clientHold.epoch = primaryConnector.epoch();
                change(clientHold, LockState.VALID);
            }
        } else if (lockId.equals(reasserted)) {
            primaryConnector.send("RELEASE " + lockId); // given back while it was in doubt
        }
    }

    private boolean isConfirmed(String lockId) {
        return inFlight != null
                && inFlight.stage == InFlightAcquire.Stage.CONFIRMED
                && inFlight.lockId.equals(lockId);
    }

    private void acquired() {
        InFlightAcquire mine = inFlight;
        if (mine == null) {
            return;
        }
        boolean limited = mine.ttlSeconds > 0;
        long ttlNanos = nanos(Duration.ofSeconds(mine.ttlSeconds));
        ClientHold got =
                new ClientHold(
                        mine.lockId,
                        mine.mode,
                        mine.fence,
                        limited,
                        mine.confirmedNanos + ttlNanos,
                        primaryConnector.epoch());
        if (got.isOver(System.nanoTime())) {
            primaryConnector.send("RELEASE " + got.lockId);
            finish(mine, null, new SocketLockRefusedException("lock expired"));
            return;
        }
        clientHold = got;
        finish(mine, new SocketLock(this, got), null);
        askStatusLater(got);
        if (endTimer != null) {
            ioThread.cancel(endTimer);
            endTimer = null;
        }
        if (limited) {
            endTimer = ioThread.after(got.endNanos - System.nanoTime(), () -> end(got));
        }
    }

    private void finish(
            InFlightAcquire mine,
            @Nullable SocketLock result,
            @Nullable SocketLockException failure) {
        mine.stage = InFlightAcquire.Stage.DONE;
        mine.result = result;
        mine.failure = failure;
        inFlight = null;
        changed.signalAll();
    }

    private void end(ClientHold over) {
        monitor.lock();
        try {
            if (clientHold == over) {
                // The primary keeps an ended lock until it is asked about it; an original one even
                // keeps it from the others.
                ioThread.execute(() -> primaryConnector.send("RELEASE " + over.lockId));
            }
            lose(over);
        } finally {
            monitor.unlock();
        }
    }

    private void askStatusLater(ClientHold current) {
        if (statusTimer != null) {
            ioThread.cancel(statusTimer);
        }
        statusTimer =
                ioThread.after(
                        statusNanos,
                        () -> {
                            if (isCurrent(current)) {
                                primaryConnector.send("STATUS " + current.lockId);
                                askStatusLater(current);
                            }
                        });
    }

    private boolean isCurrent(ClientHold current) {
        monitor.lock();
        try {
            return clientHold == current;
        } finally {
            monitor.unlock();
        }
    }

    private void isNotHeld(String lockId) {
        if (isConfirmed(lockId)) {
            InFlightAcquire mine = inFlight;
            if (mine != null) {
                String reason = mine.primaryError.isEmpty() ? "lock expired" : mine.primaryError;
                finish(mine, null, new SocketLockRefusedException(reason));
            }
        } else if (clientHold != null && clientHold.lockId.equals(lockId)) {
            lose(clientHold);
        }
    }

    private void failed(String reason) {
        InFlightAcquire mine = inFlight;
        // These two answer something earlier, never a request with a fresh lock id.
        if (mine == null || reason.equals("offer rejected") || reason.equals("invalid lock id")) {
            return;
        }
        String text = reason.isEmpty() ? "request failed" : reason;
        if (mine.stage == InFlightAcquire.Stage.REQUESTED) {
            finish(mine, null, new SocketLockRefusedException(text));
        } else if (mine.stage == InFlightAcquire.Stage.CONFIRMED) {
            mine.primaryError = text; // the answer to STATUS follows, and decides
        }
    }

    @Override
    public void down() {
        monitor.lock();
        try {
            if (inFlight != null) {
                inFlight.stage = InFlightAcquire.Stage.UNSENT;
                inFlight.fence = 0;
                inFlight.primaryError = "";
            }
            if (clientHold != null && clientHold.state == LockState.VALID) {
                change(clientHold, LockState.IN_DOUBT);
                awaitAnswer(clientHold);
            }
        } finally {
            monitor.unlock();
        }
    }

    private void awaitAnswer(ClientHold doubtful) {
        if (doubtTimer != null) {
            ioThread.cancel(doubtTimer); // of an earlier doubt
        }
        doubtTimer =
                ioThread.after(TakeoverGracePeriod.LENGTH_NANOS, () -> loseUnlessAsked(doubtful));
    }

    private void loseUnlessAsked(ClientHold doubtful) {
        monitor.lock();
        try {
            if (doubtful.state != LockState.IN_DOUBT) {
                return;
            }
            if (primaryConnector.isUp() && doubtful.lockId.equals(reasserted)) {
                awaitAnswer(doubtful);
            } else {
                lose(doubtful);
            }
        } finally {
            monitor.unlock();
        }
    }

    @Override
    public void unreachable(SocketLockUnavailableException reason) {
        monitor.lock();
        try {
            if (!connectedOnce) {
                lastFailure = reason;
            }
            if (inFlight != null) {
                finish(inFlight, null, reason);
            }
            changed.signalAll();
        } finally {
            monitor.unlock();
        }
    }

    @Override
    public boolean isWaiting() {
        monitor.lock();
        try {
            return inFlight != null;
        } finally {
            monitor.unlock();
        }
    }

    @Override
    public boolean isHolding() {
        monitor.lock();
        try {
            return clientHold != null;
        } finally {
            monitor.unlock();
        }
    }

    // ---- the lock

    private boolean isFresh(ClientHold current) {
        return !current.isOver(System.nanoTime()) && ioThread.nanosSinceLastTurn() < STALE_NANOS;
    }

    boolean isValid(SocketLock lock) {
        monitor.lock();
        try {
            ClientHold current = lock.held();
            return !lock.released && current.state == LockState.VALID && isFresh(current);
        } finally {
            monitor.unlock();
        }
    }

    LockState stateOf(SocketLock lock) {
        monitor.lock();
        try {
            ClientHold current = lock.held();
            if (lock.released) { // what becomes of those who share it does not matter here
                return lock.lost ? LockState.LOST : LockState.RELEASED;
            }
            if (current.state != LockState.VALID || isFresh(current)) {
                return current.state;
            }
            return current.isOver(System.nanoTime()) ? LockState.LOST : LockState.IN_DOUBT;
        } finally {
            monitor.unlock();
        }
    }

    void listen(SocketLock lock, Consumer<LockState> listener) {
        monitor.lock();
        try {
            lock.held().listeners.add(listener);
        } finally {
            monitor.unlock();
        }
    }

    boolean release(SocketLock lock) {
        monitor.lock();
        try {
            ClientHold current = lock.held();
            if (lock.released) {
                return false;
            }
            if (current.isOver(System.nanoTime())) {
                end(current); // the timer would have said so in a moment
            }
            boolean valid = current.state == LockState.VALID && isFresh(current);
            lock.released = true;
            lock.lost = current.state == LockState.LOST;
            current.uses--;
            if (current.uses == 0 && clientHold == current) {
                boolean told = current.state == LockState.VALID;
                clientHold = null;
                change(current, LockState.RELEASED);
                changed.signalAll();
                if (told) {
                    ioThread.execute(() -> primaryConnector.send("RELEASE " + current.lockId));
                }
            }
            return valid;
        } finally {
            monitor.unlock();
        }
    }

    private void lose(ClientHold current) {
        if (clientHold == current) {
            clientHold = null;
            change(current, LockState.LOST);
            changed.signalAll();
        }
    }

    private void change(ClientHold current, LockState state) {
        current.state = state;
        changed.signalAll();
        for (Consumer<LockState> listener : current.listeners) {
            notices.execute(() -> listener.accept(state));
        }
    }

    // ---- the end

    /** Closes once nothing is held; an interrupt ends the wait and leaves everything as it is. */
    void close() {
        monitor.lock();
        try {
            if (closed) {
                return;
            }
            closers++;
            try {
                while (clientHold != null) {
                    changed.await();
                }
            } finally {
                closers--;
            }
            closed = true;
            endWish();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SocketLockInterruptedException(e);
        } finally {
            monitor.unlock();
        }
        end();
    }

    /** Closes although something may be held: it is lost. */
    void closeNow() {
        monitor.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            if (clientHold != null) {
                lose(clientHold);
            }
            endWish();
        } finally {
            monitor.unlock();
        }
        end();
    }

    private void endWish() {
        if (inFlight != null) {
            finish(inFlight, null, new SocketLockClosedException());
        }
    }

    /** Ends the connection and, if it is here, the primary; returns when both have ended. */
    private void end() {
        if (ioThread.execute(() -> primaryConnector.close(ended::open))) {
            ended.await();
        }
        ioThread.close();
    }
}
