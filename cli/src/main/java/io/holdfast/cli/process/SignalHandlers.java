package io.holdfast.cli.process;

import org.slf4j.LoggerFactory;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntConsumer;

/**
 * Tells about signals, every one of them: a shutdown hook would only see the first. The class for
 * it is in every JDK, but not in the documented API, hence the reflection.
 */
public final class SignalHandlers {
    /** All who are told of an end: there may be several servers in one process. */
    private static final List<IntConsumer> ENDINGS = new CopyOnWriteArrayList<>();

    /** All who are called at a hangup. */
    private static final List<Runnable> HANGUPS = new CopyOnWriteArrayList<>();

    private SignalHandlers() {}

    /** Until it is closed, somebody is told of signals. */
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    /** Calls with the exit status that stands for the signal: SIGINT or SIGTERM. */
    public static Registration onEnd(IntConsumer action) {
        ENDINGS.add(action);
        try {
            handle(ProcessSignal.INT, () -> tellAll(ProcessSignal.INT.status()));
            handle(ProcessSignal.TERM, () -> tellAll(ProcessSignal.TERM.status()));
        } catch (ReflectiveOperationException e) {
            LoggerFactory.getLogger(SignalHandlers.class)
                    .atDebug()
                    .setCause(e)
                    .log("signals are not available, using a shutdown hook");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> action.accept(0)));
        }
        return () -> ENDINGS.remove(action);
    }

    private static void tellAll(int status) {
        ENDINGS.forEach(action -> action.accept(status));
    }

    /** Calls when the terminal was closed, or somebody wants settings to be read again: SIGHUP. */
    public static Registration onHangup(Runnable action) {
        HANGUPS.add(action);
        try {
            Registration _ = handle(ProcessSignal.HUP, () -> HANGUPS.forEach(Runnable::run));
        } catch (ReflectiveOperationException e) {
            LoggerFactory.getLogger(SignalHandlers.class)
                    .atDebug()
                    .setCause(e)
                    .log("signals are not available, SIGHUP ends the process");
        }
        return () -> HANGUPS.remove(action);
    }

    /** Calls when the size of the terminal may have changed. */
    public static void onResize(Runnable action) {
        try {
            swap("WINCH", callback(action));
        } catch (ReflectiveOperationException e) {
            LoggerFactory.getLogger(SignalHandlers.class)
                    .atDebug()
                    .setCause(e)
                    .log("a resize of the terminal will not be noticed");
        }
    }

    /** Sends this process a SIGTERM. */
    public static void raiseTerm() throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        signal.getMethod("raise", signal).invoke(null, named(ProcessSignal.TERM.name()));
    }

    /**
     * Calls at each signal, in a thread of its own, until the registration is closed. A signal that
     * this process was told to ignore when it was started stays ignored.
     *
     * @throws ReflectiveOperationException if the JVM keeps this signal for itself
     */
    static Registration handle(ProcessSignal wanted, Runnable action)
            throws ReflectiveOperationException {
        Object before = swap(wanted.name(), callback(action));
        return () -> {
            try {
                swap(wanted.name(), before);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e); // it worked the other way round
            }
        };
    }

    private static Object callback(Runnable action) throws ReflectiveOperationException {
        return Proxy.newProxyInstance(
                SignalHandlers.class.getClassLoader(),
                new Class<?>[] {Class.forName("sun.misc.SignalHandler")},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("handle")) {
                        action.run();
                    }
                    return null;
                });
    }

    private static Object swap(String name, Object handler) throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Class<?> type = Class.forName("sun.misc.SignalHandler");
        try {
            return signal.getMethod("handle", signal, type).invoke(null, named(name), handler);
        } catch (InvocationTargetException e) {
            throw new ReflectiveOperationException(e.getCause());
        }
    }

    private static Object named(String name) throws ReflectiveOperationException {
        try {
            return Class.forName("sun.misc.Signal").getConstructor(String.class).newInstance(name);
        } catch (InvocationTargetException e) {
            throw new ReflectiveOperationException(e.getCause());
        }
    }
}
