package io.holdfast.cli.serve;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;

/**
 * Tells about SIGINT and SIGTERM, every one of them: a shutdown hook would only see the first. The
 * class for it is in every JDK, but not in the documented API, hence the reflection.
 */
public final class Signals {
    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);
    private static final int SIGNALLED = 128;

    private Signals() {}

    /** Calls with the exit status that stands for the signal. */
    static void onEnd(IntConsumer action) {
        try {
            handle("INT", SIGNALLED + 2, action);
            handle("TERM", SIGNALLED + 15, action);
        } catch (ReflectiveOperationException e) {
            LOG.atDebug().setCause(e).log("signals are not available, using a shutdown hook");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> action.accept(0)));
        }
    }

    /** Sends this process a SIGTERM. */
    public static void raiseTerm() throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        signal.getMethod("raise", signal)
                .invoke(null, signal.getConstructor(String.class).newInstance("TERM"));
    }

    private static void handle(String name, int status, IntConsumer action)
            throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Object callback =
                Proxy.newProxyInstance(
                        Signals.class.getClassLoader(),
                        new Class<?>[] {handler},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("handle")) {
                                action.accept(status);
                            }
                            return null;
                        });
        try {
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), callback);
        } catch (InvocationTargetException e) {
            throw new ReflectiveOperationException(e.getCause());
        }
    }
}
