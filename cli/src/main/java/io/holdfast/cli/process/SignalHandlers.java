package io.holdfast.cli.process;

import org.slf4j.LoggerFactory;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntConsumer;

/**
 * Calls handlers at each signal; a shutdown hook would only notice the first one. The class {@code
 * sun.misc.Signal} is in every JDK, but not in the documented API, hence the reflection.
 */
public final class SignalHandlers {
    /** Handlers of SIGINT and SIGTERM; one process may run several servers. */
    private static final List<IntConsumer> ENDINGS = new CopyOnWriteArrayList<>();

    /** Handlers of SIGHUP. */
    private static final List<Runnable> HANGUPS = new CopyOnWriteArrayList<>();

    private SignalHandlers() {}

    /** A registered handler; closing removes it. */
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    /** Registers a handler of SIGINT and SIGTERM, called with the exit status for the signal. */
    public static Registration onEnd(IntConsumer action) {
        ENDINGS.add(action);
        try {
            handle(ProcessSignal.INT, () -> notifyAllEndings(ProcessSignal.INT.status()));
            handle(ProcessSignal.TERM, () -> notifyAllEndings(ProcessSignal.TERM.status()));
        } catch (ReflectiveOperationException e) {
            LoggerFactory.getLogger(SignalHandlers.class)
                    .atDebug()
                    .setCause(e)
                    .log("signal handling is not available; using a shutdown hook");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> action.accept(0)));
        }
        return () -> ENDINGS.remove(action);
    }

    private static void notifyAllEndings(int status) {
        ENDINGS.forEach(action -> action.accept(status));
    }

    /** Registers a handler of SIGHUP: the terminal was closed, or a reload is requested. */
    public static Registration onHangup(Runnable action) {
        HANGUPS.add(action);
        try {
            Registration _ = handle(ProcessSignal.HUP, () -> HANGUPS.forEach(Runnable::run));
        } catch (ReflectiveOperationException e) {
            LoggerFactory.getLogger(SignalHandlers.class)
                    .atDebug()
                    .setCause(e)
                    .log("signal handling is not available; SIGHUP ends the process");
        }
        return () -> HANGUPS.remove(action);
    }

    /** Registers a handler that is called when the size of the terminal may have changed. */
    public static void onResize(Runnable action) {
        try {
            swap("WINCH", callback(action));
        } catch (ReflectiveOperationException e) {
            LoggerFactory.getLogger(SignalHandlers.class)
                    .atDebug()
                    .setCause(e)
                    .log("signal handling is not available; resizing the terminal has no effect");
        }
    }

    /**
     * Calls the action at each signal, in a thread of its own, until the registration is closed. A
     * signal that was ignored when this process was started stays ignored.
     *
     * @throws ReflectiveOperationException if the JVM reserves this signal
     */
    static Registration handle(ProcessSignal processSignal, Runnable action)
            throws ReflectiveOperationException {
        Object previous = swap(processSignal.name(), callback(action));
        return () -> {
            try {
                swap(processSignal.name(), previous);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(
                        e); // unreachable: installing the handler has succeeded
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
