package io.holdfast.socketlock;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.holdfast.socketlock.internal.primary.TakeoverGracePeriod;

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
 * The state of one client: at most one acquire in flight and at most one lock. Callers may use any
 * thread; all communication with the primary happens on the I/O thread.
 */
final class ClientState implements PrimaryConnector.ConnectorListener {
    /**
     * If the I/O thread has not polled its connection for this long, the process may have been
     * suspended, and its state may be outdated. Less than the grace period of any primary.
     */
    private static final long STALE_NANOS = TakeoverGracePeriod.LENGTH_NANOS / 2;

    private static final long CHECK_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int LOCK_ID_BYTES = 6;
    private static final Duration MAX_DURATION = Duration.ofNanos(Long.MAX_VALUE / 4);

    private final IoThread ioThread;
    private final PrimaryConnector primaryConnector;
    private final long statusNanos;
    private final Executor listenerExecutor = listenerExecutor();
    private final ReentrantLock monitor = new ReentrantLock();
    private final Condition changed = monitor.newCondition();
    private final UninterruptibleLatch ended = new UninterruptibleLatch();

    @GuardedBy("monitor")
    private @Nullable InFlightAcquire inFlight;

    @GuardedBy("monitor")
    private @Nullable ClientHold clientHold;

    @GuardedBy("monitor")
    private boolean connectedOnce;

    /** How many threads wait in {@link #close}. */
    @GuardedBy("monitor")
    private int closers;

    @GuardedBy("monitor")
    private boolean closed;

    @GuardedBy("monitor")
    private @Nullable SocketLockUnavailableException lastFailure;

    // Used on the I/O thread only.
    private IoThread.@Nullable Timer statusTimer;
    private IoThread.@Nullable Timer expiryTimer;
    private IoThread.@Nullable Timer inDoubtTimer;
    private String reasserted = "";

    ClientState(Path path, LockConfig config, String clientId) throws IOException {
        this.statusNanos = nanos(config.statusInterval());
        this.ioThread = IoThread.start("holdfast-socketlock");
        this.primaryConnector = new PrimaryConnector(ioThread, path, config, clientId, this);
    }

    private static Executor listenerExecutor() {
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

    /**
     * A duration in nanoseconds, 0 if it is negative, and limited so that sums with it do not
     * overflow.
     */
    static long nanos(Duration span) {
        if (span.isNegative()) {
            return 0;
        }
        return span.compareTo(MAX_DURATION) > 0 ? MAX_DURATION.toNanos() : span.toNanos();
    }

    // ---- connecting

    /** Connects, and waits for the connection for up to the timeout. */
    void connect(Duration timeout) {
        ioThread.execute(primaryConnector::connect);
        SocketLockException failure;
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
            failure =
                    lastFailure != null
                            ? withCallerTrace(lastFailure)
                            : new SocketLockUnavailableException(
                                    "no primary responded in time", null);
        } catch (InterruptedException e) {
            closed = true;
            Thread.currentThread().interrupt();
            failure = new SocketLockInterruptedException(e);
        } finally {
            monitor.unlock();
        }
        end();
        throw failure;
    }

    /** The failure that the I/O thread has found, with the stack trace of the caller. */
    private static SocketLockException withCallerTrace(SocketLockException found) {
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
                // In doubt: it becomes valid or lost soon. Polled, since it may expire without a
                // signal.
                await(deadline, interruptible, CHECK_INTERVAL_NANOS);
            }
            if (closers > 0 || closed) {
                throw new SocketLockClosedException();
            }
            if (inFlight != null) {
                throw new SocketLockException("multiple lock requests");
            }
            InFlightAcquire acquire = new InFlightAcquire(mode, options.ttlSeconds());
            inFlight = acquire;
            ioThread.execute(this::sendRequest);
            return awaitOutcome(acquire, deadline, interruptible);
        } finally {
            monitor.unlock();
        }
    }

    @GuardedBy("monitor")
    private SocketLock join(ClientHold current, LockMode mode) {
        if (mode == LockMode.WRITE && current.mode == LockMode.READ) {
            throw new SocketLockException("write requested while read lock held");
        }
        current.uses++;
        return new SocketLock(this, current);
    }

    @GuardedBy("monitor")
    private SocketLock awaitOutcome(InFlightAcquire acquire, long deadline, boolean interruptible) {
        try {
            while (acquire.stage != InFlightAcquire.Stage.DONE) {
                await(deadline, interruptible, Long.MAX_VALUE);
            }
        } catch (SocketLockException e) {
            if (acquire.stage != InFlightAcquire.Stage.DONE) {
                abandon(acquire);
                throw e;
            } // else the acquire has completed meanwhile: return its result
        }
        if (acquire.failure != null) {
            throw withCallerTrace(acquire.failure);
        }
        if (acquire.result == null) {
            throw new SocketLockException("request failed");
        }
        return acquire.result;
    }

    /**
     * Waits for a change for up to {@code maxNanos}; throws if the deadline has passed or the
     * thread is interrupted.
     */
    @SuppressWarnings("WaitNotInLoop") // callers re-check in a loop
    private void await(long deadline, boolean interruptible, long maxNanos) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            throw new SocketLockTimeoutException("not acquired within the timeout");
        }
        boolean interrupted = !interruptible && Thread.interrupted();
        try {
            long unused = changed.awaitNanos(Math.min(left, maxNanos));
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

    /** Ends an acquire whose caller has stopped waiting. */
    @GuardedBy("monitor")
    private void abandon(InFlightAcquire acquire) {
        boolean sent = acquire.stage != InFlightAcquire.Stage.UNSENT;
        String lockId = acquire.lockId;
        acquire.stage = InFlightAcquire.Stage.DONE;
        inFlight = null;
        changed.signalAll();
        if (sent) {
            ioThread.execute(
                    () -> {
                        // Reconnect: a late REQFAIL names no lock, so it could be taken for the
                        // failure of a later acquire.
                        primaryConnector.send("REJECT " + lockId);
                        primaryConnector.send("EOL");
                        primaryConnector.drop();
                    });
        }
    }

    /**
     * Sends the acquire in flight, if it is unsent and there is a connection. On the I/O thread.
     */
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

    // ---- messages of the primary (on the I/O thread)

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

    private void reassert(ClientHold inDoubt) {
        long now = System.nanoTime();
        if (inDoubt.isOver(now)) {
            return; // its timer is about to end it
        }
        reasserted = inDoubt.lockId;
        String left = "";
        if (inDoubt.limited) {
            long seconds = (inDoubt.endNanos - now + 999_999_999L) / 1_000_000_000L;
            left = " " + Math.max(1, seconds);
        }
        primaryConnector.send(
                "REASSERT " + inDoubt.lockId + " " + inDoubt.mode + " " + inDoubt.epoch + left);
        primaryConnector.send("STATUS " + inDoubt.lockId);
    }

    @Override
    public void line(String verb, String rest) {
        monitor.lock();
        try {
            switch (verb) {
                case "READLOCK" -> offered(rest, LockMode.READ);
                case "WRITELOCK" -> offered(rest, LockMode.WRITE);
                case "TOKEN" -> token(rest);
                case "LOCKOK" -> onHeld(rest);
                case "LOCKTIMEOUT" -> onNotHeld(rest);
                case "REQFAIL" -> failed(rest);
                default -> {} // of a later version of the protocol
            }
        } finally {
            monitor.unlock();
        }
    }

    @GuardedBy("monitor")
    private void offered(String lockId, LockMode mode) {
        InFlightAcquire acquire = inFlight;
        if (acquire == null
                || acquire.stage != InFlightAcquire.Stage.REQUESTED
                || !acquire.lockId.equals(lockId)
                || acquire.mode != mode) {
            primaryConnector.send("REJECT " + lockId);
            return;
        }
        acquire.stage = InFlightAcquire.Stage.CONFIRMED;
        acquire.confirmedNanos = System.nanoTime(); // before the primary starts the time to live
        primaryConnector.send("CONFIRM " + lockId);
        primaryConnector.send("TOKEN " + lockId);
        primaryConnector.send("STATUS " + lockId);
    }

    @GuardedBy("monitor")
    private void token(String rest) {
        String[] fields = rest.split(" ", -1);
        if (inFlight != null && fields.length == 2 && fields[0].equals(inFlight.lockId)) {
            try {
                inFlight.fence = Long.parseLong(fields[1]);
            } catch (NumberFormatException e) {
                inFlight.fence = 0;
            }
        }
    }

    @GuardedBy("monitor")
    private void onHeld(String lockId) {
        if (isConfirmed(lockId)) {
            acquired();
        } else if (clientHold != null && clientHold.lockId.equals(lockId)) {
            if (clientHold.state == LockState.IN_DOUBT && lockId.equals(reasserted)) {
                clientHold.epoch = primaryConnector.epoch();
                change(clientHold, LockState.VALID);
            }
        } else if (lockId.equals(reasserted)) {
            primaryConnector.send("RELEASE " + lockId); // released while it was in doubt
        }
    }

    @GuardedBy("monitor")
    private boolean isConfirmed(String lockId) {
        return inFlight != null
                && inFlight.stage == InFlightAcquire.Stage.CONFIRMED
                && inFlight.lockId.equals(lockId);
    }

    @GuardedBy("monitor")
    private void acquired() {
        InFlightAcquire acquire = inFlight;
        if (acquire == null) {
            return;
        }
        boolean limited = acquire.ttlSeconds > 0;
        long ttlNanos = nanos(Duration.ofSeconds(acquire.ttlSeconds));
        ClientHold hold =
                new ClientHold(
                        acquire.lockId,
                        acquire.mode,
                        acquire.fence,
                        limited,
                        acquire.confirmedNanos + ttlNanos,
                        primaryConnector.epoch());
        if (hold.isOver(System.nanoTime())) {
            primaryConnector.send("RELEASE " + hold.lockId);
            finish(acquire, null, new SocketLockRefusedException("lock expired"));
            return;
        }
        clientHold = hold;
        finish(acquire, new SocketLock(this, hold), null);
        scheduleStatus(hold);
        if (expiryTimer != null) {
            ioThread.cancel(expiryTimer);
            expiryTimer = null;
        }
        if (limited) {
            expiryTimer = ioThread.after(hold.endNanos - System.nanoTime(), () -> end(hold));
        }
    }

    @GuardedBy("monitor")
    private void finish(
            InFlightAcquire acquire,
            @Nullable SocketLock result,
            @Nullable SocketLockException failure) {
        acquire.stage = InFlightAcquire.Stage.DONE;
        acquire.result = result;
        acquire.failure = failure;
        inFlight = null;
        changed.signalAll();
    }

    private void end(ClientHold over) {
        monitor.lock();
        try {
            if (clientHold == over) {
                // The primary keeps an expired lock until its client asks for its status or
                // releases it; an original socketlock primary does not grant it to others until
                // then.
                ioThread.execute(() -> primaryConnector.send("RELEASE " + over.lockId));
            }
            lose(over);
        } finally {
            monitor.unlock();
        }
    }

    private void scheduleStatus(ClientHold current) {
        if (statusTimer != null) {
            ioThread.cancel(statusTimer);
        }
        statusTimer =
                ioThread.after(
                        statusNanos,
                        () -> {
                            if (isCurrent(current)) {
                                primaryConnector.send("STATUS " + current.lockId);
                                scheduleStatus(current);
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

    @GuardedBy("monitor")
    private void onNotHeld(String lockId) {
        if (isConfirmed(lockId)) {
            InFlightAcquire acquire = inFlight;
            if (acquire != null) {
                String reason =
                        acquire.primaryError.isEmpty() ? "lock expired" : acquire.primaryError;
                finish(acquire, null, new SocketLockRefusedException(reason));
            }
        } else if (clientHold != null && clientHold.lockId.equals(lockId)) {
            lose(clientHold);
        }
    }

    @GuardedBy("monitor")
    private void failed(String reason) {
        InFlightAcquire acquire = inFlight;
        // These two are responses to earlier messages, never to a request with a new lock id.
        if (acquire == null
                || reason.equals("offer rejected")
                || reason.equals("invalid lock id")) {
            return;
        }
        String text = reason.isEmpty() ? "request failed" : reason;
        if (acquire.stage == InFlightAcquire.Stage.REQUESTED) {
            finish(acquire, null, new SocketLockRefusedException(text));
        } else if (acquire.stage == InFlightAcquire.Stage.CONFIRMED) {
            acquire.primaryError =
                    text; // the response to STATUS follows, and determines the awaitOutcome
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
                awaitReassertion(clientHold);
            }
        } finally {
            monitor.unlock();
        }
    }

    private void awaitReassertion(ClientHold inDoubt) {
        if (inDoubtTimer != null) {
            ioThread.cancel(inDoubtTimer); // of an earlier lost connection
        }
        inDoubtTimer =
                ioThread.after(
                        TakeoverGracePeriod.LENGTH_NANOS, () -> loseUnlessReasserted(inDoubt));
    }

    private void loseUnlessReasserted(ClientHold inDoubt) {
        monitor.lock();
        try {
            if (inDoubt.state != LockState.IN_DOUBT) {
                return;
            }
            if (primaryConnector.isUp() && inDoubt.lockId.equals(reasserted)) {
                awaitReassertion(inDoubt);
            } else {
                lose(inDoubt);
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
        return !current.isOver(System.nanoTime()) && ioThread.nanosSinceLastPoll() < STALE_NANOS;
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
            if (lock.released) { // the shared hold may still be valid for others
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
                end(current); // its timer would have ended it shortly
            }
            boolean valid = current.state == LockState.VALID && isFresh(current);
            lock.released = true;
            lock.lost = current.state == LockState.LOST;
            current.uses--;
            if (current.uses == 0 && clientHold == current) {
                boolean sendRelease = current.state == LockState.VALID;
                clientHold = null;
                change(current, LockState.RELEASED);
                changed.signalAll();
                if (sendRelease) {
                    ioThread.execute(() -> primaryConnector.send("RELEASE " + current.lockId));
                }
            }
            return valid;
        } finally {
            monitor.unlock();
        }
    }

    @GuardedBy("monitor")
    private void lose(ClientHold current) {
        if (clientHold == current) {
            clientHold = null;
            change(current, LockState.LOST);
            changed.signalAll();
        }
    }

    @GuardedBy("monitor")
    private void change(ClientHold current, LockState state) {
        current.state = state;
        changed.signalAll();
        for (Consumer<LockState> listener : current.listeners) {
            listenerExecutor.execute(() -> listener.accept(state));
        }
    }

    // ---- the end

    /** Waits until nothing is held, then closes; an interrupt ends the wait without closing. */
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
            failInFlight();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SocketLockInterruptedException(e);
        } finally {
            monitor.unlock();
        }
        end();
    }

    /** Closes at once; a lock that is held is lost. */
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
            failInFlight();
        } finally {
            monitor.unlock();
        }
        end();
    }

    @GuardedBy("monitor")
    private void failInFlight() {
        if (inFlight != null) {
            finish(inFlight, null, new SocketLockClosedException());
        }
    }

    /**
     * Closes the connection and, if this process runs it, the primary; returns when both have
     * ended.
     */
    private void end() {
        if (ioThread.execute(() -> primaryConnector.close(ended::open))) {
            ended.await();
        }
        ioThread.close();
    }
}
