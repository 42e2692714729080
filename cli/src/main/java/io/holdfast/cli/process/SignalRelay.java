package io.holdfast.cli.process;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Takes the signals of this process while it prepares and runs a command. As long as there is no
 * command a signal interrupts the thread that opened the relay; afterwards it goes to the command.
 */
public final class SignalRelay implements AutoCloseable {
    /** Whom a signal is passed on to. */
    interface Target {
        void send(ProcessSignal processSignal);
    }

    private final Thread opener = Thread.currentThread();
    private final List<SignalHandlers.Registration> registrations = new ArrayList<>();
    private final List<ProcessSignal> early = new ArrayList<>();
    private @Nullable Target target;
    private @Nullable ProcessSignal end;
    private boolean kept;
    private boolean closed;

    private SignalRelay() {}

    public static SignalRelay open() {
        SignalRelay relay = new SignalRelay();
        for (ProcessSignal processSignal : ProcessSignal.values()) {
            try {
                relay.registrations.add(
                        SignalHandlers.handle(processSignal, () -> relay.take(processSignal)));
            } catch (ReflectiveOperationException _) {
                // The JVM's own business: SIGQUIT makes it print its threads.
            }
        }
        return relay;
    }

    /** The first signal that came while there was no command. */
    public synchronized Optional<ProcessSignal> first() {
        return early.stream().findFirst();
    }

    /** From now on signals go there, and first of all those that came before. */
    synchronized void passOnTo(Target command) {
        target = command;
        Thread.interrupted(); // what they did is now done otherwise
        early.forEach(this::passOn);
    }

    private void passOn(ProcessSignal processSignal) {
        if (end == null && processSignal.asksToEnd()) {
            end = processSignal;
        }
        if (target != null) {
            target.send(processSignal);
        }
    }

    /**
     * There is no command any more: signals interrupt again.
     *
     * @return the first signal that asked the command to end
     */
    public synchronized Optional<ProcessSignal> takeBack() {
        if (target != null) { // else there was no command, and nobody has got them
            early.clear();
        }
        target = null;
        Optional<ProcessSignal> asked = Optional.ofNullable(end);
        end = null;
        return asked;
    }

    private synchronized void take(ProcessSignal processSignal) {
        if (closed) {
            return;
        }
        if (target != null) {
            passOn(processSignal);
        } else {
            early.add(processSignal);
            opener.interrupt();
        }
    }

    /** Signals do nothing from now on: what this process was for is done. */
    public synchronized void keep() {
        kept = true;
    }

    /** Signals do again what they did before, unless they were kept. */
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
