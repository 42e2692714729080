package io.holdfast.cli.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Handles the signals of this process while it prepares and runs a command. While no command runs,
 * a signal interrupts the thread that opened the relay; afterwards it is forwarded to the command.
 */
public final class SignalRelay implements AutoCloseable {
    /** The receiver of forwarded signals. */
    interface Target {
        void send(ProcessSignal processSignal);
    }

    private final Thread opener = Thread.currentThread();
    private final List<SignalHandlers.Registration> registrations = new ArrayList<>();

    @GuardedBy("this")
    private final List<ProcessSignal> early = new ArrayList<>();

    @GuardedBy("this")
    private @Nullable Target target;

    @GuardedBy("this")
    private @Nullable ProcessSignal end;

    @GuardedBy("this")
    private boolean kept;

    @GuardedBy("this")
    private boolean closed;

    private SignalRelay() {}

    public static SignalRelay open() {
        SignalRelay relay = new SignalRelay();
        for (ProcessSignal processSignal : ProcessSignal.values()) {
            try {
                relay.registrations.add(
                        SignalHandlers.handle(processSignal, () -> relay.take(processSignal)));
            } catch (ReflectiveOperationException _) {
                // The JVM reserves SIGQUIT for its thread dump.
            }
        }
        return relay;
    }

    /** Returns the first signal that arrived while no command was running. */
    public synchronized Optional<ProcessSignal> first() {
        return early.stream().findFirst();
    }

    /** Forwards signals to the command from now on, beginning with those that came before it. */
    synchronized void passOnTo(Target command) {
        target = command;
        Thread.interrupted(); // the signals are forwarded instead
        early.forEach(this::forward);
    }

    @GuardedBy("this")
    private void forward(ProcessSignal processSignal) {
        if (end == null && processSignal.requestsTermination()) {
            end = processSignal;
        }
        if (target != null) {
            target.send(processSignal);
        }
    }

    /**
     * The command has ended: signals interrupt again.
     *
     * @return the first termination signal that was forwarded to the command
     */
    public synchronized Optional<ProcessSignal> commandEnded() {
        if (target != null) { // otherwise no command has received them
            early.clear();
        }
        target = null;
        Optional<ProcessSignal> request = Optional.ofNullable(end);
        end = null;
        return request;
    }

    private synchronized void take(ProcessSignal processSignal) {
        if (closed) {
            return;
        }
        if (target != null) {
            forward(processSignal);
        } else {
            early.add(processSignal);
            opener.interrupt();
        }
    }

    /** Signals are ignored after {@link #close}, since the work of this process is done. */
    public synchronized void keep() {
        kept = true;
    }

    /** Restores the previous signal handlers, unless {@link #keep} was called. */
    @Override
    public void close() {
        if (!isKept()) {
            registrations.forEach(SignalHandlers.Registration::close);
        }
        synchronized (this) {
            closed = true;
            if (!early.isEmpty()) {
                Thread.interrupted();
            }
        }
    }

    private synchronized boolean isKept() {
        return kept;
    }
}
