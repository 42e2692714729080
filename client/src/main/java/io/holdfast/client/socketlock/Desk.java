package io.holdfast.client.socketlock;

import io.holdfast.client.socketlock.seat.Grace;

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
final class Desk implements Link.Owner {
    /**
     * If the loop has not looked at its connection for so long, the process may have been stopped,
     * and what it knows may be out of date. Less than any primary waits for a holder.
     */
    private static final long STALE_NANOS = Grace.LENGTH_NANOS / 2;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int LOCK_ID_BYTES = 6;
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 4);

    private final Loop loop;
    private final Link link;
    private final long statusNanos;
    private final Executor notices = notices();
    private final ReentrantLock monitor = new ReentrantLock();
    private final Condition changed = monitor.newCondition();
    private final UninterruptibleLatch ended = new UninterruptibleLatch();

    // Guarded by the monitor.
    private @Nullable Wish wish;
    private @Nullable Held held;
    private boolean connectedOnce;

    /** How many threads wait in {@link #close}. */
    private int closers;

    private boolean closed;
    private @Nullable SocketLockUnavailableException trouble;

    // On the loop.
    private Loop.@Nullable Timer statusTimer;
    private Loop.@Nullable Timer endTimer;
    private Loop.@Nullable Timer doubtTimer;
    private String reasserted = "";

    Desk(Path path, LockConfig config, String clientId) throws IOException {
        this.statusNanos = nanos(config.statusInterval());
        this.loop = Loop.start("holdfast-socketlock");
        this.link = new Link(loop, path, config, clientId, this);
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
        return span.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : span.toNanos();
    }

    // ---- connecting

    /** Connects, waiting so long at most. */
    void connect(Duration timeout) {
        loop.execute(link::connect);
        monitor.lock();
        try {
            long left = nanos(timeout);
            while (!connectedOnce && trouble == null && left > 0) {
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
        throw trouble != null
                ? here(trouble)
                : new SocketLockUnavailableException("no primary answers in time", null);
    }

    /** What the loop found, as if this thread had. */
    private static SocketLockException here(SocketLockException found) {
        found.fillInStackTrace();
        return found;
    }

    boolean isPrimary() {
        return link.isPrimary();
    }

    // ---- acquiring

    SocketLock acquire(LockMode mode, AcquireOptions options, boolean interruptible) {
        Duration timeout = options.timeout();
        long deadline = System.nanoTime() + (timeout == null ? Long.MAX_VALUE / 2 : nanos(timeout));
        monitor.lock();
        try {
            while (held != null) {
                if (held.state == LockState.VALID && isFresh(held)) {
                    return join(held, mode);
                }
                // In doubt: that ends soon, one way or the other, even if nobody says so.
                await(deadline, interruptible, LOOK_NANOS);
            }
            if (closers > 0 || closed) {
                throw new SocketLockClosedException();
            }
            if (wish != null) {
                throw new SocketLockException("multiple lock requests");
            }
            Wish mine = new Wish(mode, options.ttlSeconds());
            wish = mine;
            loop.execute(this::ask);
            return outcome(mine, deadline, interruptible);
        } finally {
            monitor.unlock();
        }
    }

    private SocketLock join(Held current, LockMode mode) {
        if (mode == LockMode.WRITE && current.mode == LockMode.READ) {
            throw new SocketLockException("write requested while read lock held");
        }
        current.uses++;
        return new SocketLock(this, current);
    }

    private SocketLock outcome(Wish mine, long deadline, boolean interruptible) {
        try {
            while (mine.stage != Wish.Stage.DONE) {
                await(deadline, interruptible, Long.MAX_VALUE);
            }
        } catch (SocketLockException e) {
            if (mine.stage != Wish.Stage.DONE) {
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
    private void abandon(Wish mine) {
        boolean sent = mine.stage != Wish.Stage.UNSENT;
        String lockId = mine.lockId;
        mine.stage = Wish.Stage.DONE;
        wish = null;
        changed.signalAll();
        if (sent) {
            loop.execute(
                    () -> {
                        // A late failure names no lock, so no later acquire may meet it.
                        link.send("REJECT " + lockId);
                        link.send("EOL");
                        link.drop();
                    });
        }
    }

    /** Sends the acquire in flight, if it can be. On the loop. */
    private void ask() {
        monitor.lock();
        try {
            if (wish == null || wish.stage != Wish.Stage.UNSENT || !link.isUp()) {
                return;
            }
            wish.stage = Wish.Stage.ASKED;
            wish.lockId = freshLockId();
            link.send(
                    (wish.mode == LockMode.READ ? "REQREAD " : "REQWRITE ")
                            + wish.lockId
                            + (wish.ttlSeconds == 0 ? "" : " " + wish.ttlSeconds));
            link.watchClosely();
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
            trouble = null;
            changed.signalAll();
            reasserted = "";
            if (held != null && held.state == LockState.IN_DOUBT) {
                reassert(held);
            }
        } finally {
            monitor.unlock();
        }
        loop.execute(this::ask);
    }

    private void reassert(Held doubtful) {
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
        link.send(
                "REASSERT " + doubtful.lockId + " " + doubtful.mode + " " + doubtful.epoch + left);
        link.send("STATUS " + doubtful.lockId);
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
        Wish mine = wish;
        if (mine == null
                || mine.stage != Wish.Stage.ASKED
                || !mine.lockId.equals(lockId)
                || mine.mode != mode) {
            link.send("REJECT " + lockId);
            return;
        }
        mine.stage = Wish.Stage.CONFIRMED;
        mine.confirmedNanos = System.nanoTime(); // before the primary begins to count
        link.send("CONFIRM " + lockId);
        link.send("TOKEN " + lockId);
        link.send("STATUS " + lockId);
    }

    private void token(String rest) {
        String[] words = rest.split(" ", -1);
        if (wish != null && words.length == 2 && words[0].equals(wish.lockId)) {
            try {
                wish.fence = Long.parseLong(words[1]);
            } catch (NumberFormatException e) {
                wish.fence = 0;
            }
        }
    }

    private void isHeld(String lockId) {
        if (isConfirmed(lockId)) {
            acquired();
        } else if (held != null && held.lockId.equals(lockId)) {
            if (held.state == LockState.IN_DOUBT && lockId.equals(reasserted)) {
                held.epoch = link.epoch();
                change(held, LockState.VALID);
            }
        } else if (lockId.equals(reasserted)) {
            link.send("RELEASE " + lockId); // given back while it was in doubt
        }
    }

    private boolean isConfirmed(String lockId) {
        return wish != null && wish.stage == Wish.Stage.CONFIRMED && wish.lockId.equals(lockId);
    }

    private void acquired() {
        Wish mine = wish;
        if (mine == null) {
            return;
        }
        boolean limited = mine.ttlSeconds > 0;
        long ttlNanos = nanos(Duration.ofSeconds(mine.ttlSeconds));
        Held got =
                new Held(
                        mine.lockId,
                        mine.mode,
                        mine.fence,
                        limited,
                        mine.confirmedNanos + ttlNanos,
                        link.epoch());
        if (got.isOver(System.nanoTime())) {
            link.send("RELEASE " + got.lockId);
            finish(mine, null, new SocketLockRefusedException("lock expired"));
            return;
        }
        held = got;
        finish(mine, new SocketLock(this, got), null);
        askStatusLater(got);
        if (endTimer != null) {
            loop.cancel(endTimer);
            endTimer = null;
        }
        if (limited) {
            endTimer = loop.after(got.endNanos - System.nanoTime(), () -> end(got));
        }
    }

    private void finish(
            Wish mine, @Nullable SocketLock result, @Nullable SocketLockException failure) {
        mine.stage = Wish.Stage.DONE;
        mine.result = result;
        mine.failure = failure;
        wish = null;
        changed.signalAll();
    }

    private void end(Held over) {
        monitor.lock();
        try {
            if (held == over) {
                // The primary keeps an ended lock until it is asked about it; an original one even
                // keeps it from the others.
                loop.execute(() -> link.send("RELEASE " + over.lockId));
            }
            lose(over);
        } finally {
            monitor.unlock();
        }
    }

    private void askStatusLater(Held current) {
        if (statusTimer != null) {
            loop.cancel(statusTimer);
        }
        statusTimer =
                loop.after(
                        statusNanos,
                        () -> {
                            if (isCurrent(current)) {
                                link.send("STATUS " + current.lockId);
                                askStatusLater(current);
                            }
                        });
    }

    private boolean isCurrent(Held current) {
        monitor.lock();
        try {
            return held == current;
        } finally {
            monitor.unlock();
        }
    }

    private void isNotHeld(String lockId) {
        if (isConfirmed(lockId)) {
            Wish mine = wish;
            if (mine != null) {
                String reason = mine.trouble.isEmpty() ? "lock expired" : mine.trouble;
                finish(mine, null, new SocketLockRefusedException(reason));
            }
        } else if (held != null && held.lockId.equals(lockId)) {
            lose(held);
        }
    }

    private void failed(String reason) {
        Wish mine = wish;
        // These two answer something earlier, never a request with a fresh lock id.
        if (mine == null || reason.equals("offer rejected") || reason.equals("invalid lock id")) {
            return;
        }
        String text = reason.isEmpty() ? "request failed" : reason;
        if (mine.stage == Wish.Stage.ASKED) {
            finish(mine, null, new SocketLockRefusedException(text));
        } else if (mine.stage == Wish.Stage.CONFIRMED) {
            mine.trouble = text; // the answer to STATUS follows, and decides
        }
    }

    @Override
    public void down() {
        monitor.lock();
        try {
            if (wish != null) {
                wish.stage = Wish.Stage.UNSENT;
                wish.fence = 0;
                wish.trouble = "";
            }
            if (held != null && held.state == LockState.VALID) {
                change(held, LockState.IN_DOUBT);
                awaitAnswer(held);
            }
        } finally {
            monitor.unlock();
        }
    }

    private void awaitAnswer(Held doubtful) {
        if (doubtTimer != null) {
            loop.cancel(doubtTimer); // of an earlier doubt
        }
        doubtTimer = loop.after(Grace.LENGTH_NANOS, () -> loseUnlessAsked(doubtful));
    }

    private void loseUnlessAsked(Held doubtful) {
        monitor.lock();
        try {
            if (doubtful.state != LockState.IN_DOUBT) {
                return;
            }
            if (link.isUp() && doubtful.lockId.equals(reasserted)) {
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
                trouble = reason;
            }
            if (wish != null) {
                finish(wish, null, reason);
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
            return wish != null;
        } finally {
            monitor.unlock();
        }
    }

    @Override
    public boolean isHolding() {
        monitor.lock();
        try {
            return held != null;
        } finally {
            monitor.unlock();
        }
    }

    // ---- the lock

    private boolean isFresh(Held current) {
        return !current.isOver(System.nanoTime()) && loop.nanosSinceLastTurn() < STALE_NANOS;
    }

    boolean isValid(SocketLock lock) {
        monitor.lock();
        try {
            Held current = lock.held();
            return !lock.released && current.state == LockState.VALID && isFresh(current);
        } finally {
            monitor.unlock();
        }
    }

    LockState stateOf(SocketLock lock) {
        monitor.lock();
        try {
            Held current = lock.held();
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
            Held current = lock.held();
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
            if (current.uses == 0 && held == current) {
                boolean told = current.state == LockState.VALID;
                held = null;
                change(current, LockState.RELEASED);
                changed.signalAll();
                if (told) {
                    loop.execute(() -> link.send("RELEASE " + current.lockId));
                }
            }
            return valid;
        } finally {
            monitor.unlock();
        }
    }

    private void lose(Held current) {
        if (held == current) {
            held = null;
            change(current, LockState.LOST);
            changed.signalAll();
        }
    }

    private void change(Held current, LockState state) {
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
                while (held != null) {
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
            if (held != null) {
                lose(held);
            }
            endWish();
        } finally {
            monitor.unlock();
        }
        end();
    }

    private void endWish() {
        if (wish != null) {
            finish(wish, null, new SocketLockClosedException());
        }
    }

    /** Ends the connection and, if it is here, the primary; returns when both have ended. */
    private void end() {
        if (loop.execute(() -> link.close(ended::open))) {
            ended.await();
        }
        loop.close();
    }
}
