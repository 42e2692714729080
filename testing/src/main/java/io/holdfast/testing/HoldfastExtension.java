package io.holdfast.testing;

import io.holdfast.client.Holdfast;
import io.holdfast.client.HoldfastBuilder;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

import java.time.Duration;

/**
 * A server for the tests of a class, if registered in a static field or with {@code @ExtendWith};
 * in another field, one for each test. Test methods and lifecycle methods may have parameters of
 * the types {@link Holdfast} and {@link EmbeddedHoldfast}. Tests that share a server must use
 * different keys, or release what they hold; a server that a test stopped is started again for the
 * next one.
 *
 * {@snippet :
 * class PrinterTest {
 *     @RegisterExtension static HoldfastExtension holdfast = new HoldfastExtension();
 *
 *     @Test
 *     void only_one_client_prints(Holdfast client) throws InterruptedException {
 *         try (Hold hold = client.lock("printer").acquire()) {
 *             assertTrue(client.lock("printer").tryAcquire().isEmpty());
 *         }
 *     }
 * }
 * }
 */
public final class HoldfastExtension
        implements BeforeAllCallback,
                BeforeEachCallback,
                AfterEachCallback,
                AfterAllCallback,
                ParameterResolver {
    private final EmbeddedHoldfast.Builder settings = EmbeddedHoldfast.builder();
    private volatile @Nullable EmbeddedHoldfast server;

    /**
     * The id of the context that started the server. The server is closed at the end of that
     * context, not at the end of a nested class.
     */
    private volatile String owner = "";

    /** Sets the secret with which clients must authenticate; {@link #client} uses it. */
    public HoldfastExtension authToken(String token) {
        settings.authToken(token);
        return this;
    }

    /** Sets the lease of holds for which the client requests none. */
    public HoldfastExtension defaultLease(Duration lease) {
        settings.defaultLease(lease);
        return this;
    }

    /** The server of the running test. */
    public EmbeddedHoldfast server() {
        EmbeddedHoldfast running = server;
        if (running == null) {
            throw new IllegalStateException(
                    "no test is running: register the extension with @RegisterExtension and use"
                            + " it inside a test");
        }
        return running;
    }

    /** See {@link EmbeddedHoldfast#address}. */
    public String address() {
        return server().address();
    }

    /** See {@link EmbeddedHoldfast#client}. */
    public Holdfast client() {
        return server().client();
    }

    /** See {@link EmbeddedHoldfast#clientBuilder}. */
    public HoldfastBuilder clientBuilder() {
        return server().clientBuilder();
    }

    /** See {@link EmbeddedHoldfast#stop}. */
    public void stop() {
        server().stop();
    }

    /** See {@link EmbeddedHoldfast#restart}. */
    public void restart() {
        server().restart();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        begin(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        begin(context);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        end(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        end(context);
    }

    private void begin(ExtensionContext context) {
        EmbeddedHoldfast running = server;
        if (running == null) {
            server = settings.start();
            owner = context.getUniqueId();
        } else if (!running.isRunning()) {
            running.restart();
        }
    }

    private void end(ExtensionContext context) {
        EmbeddedHoldfast running = server;
        if (running != null && owner.equals(context.getUniqueId())) {
            server = null;
            running.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Holdfast.class || type == EmbeddedHoldfast.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Holdfast.class ? client() : server();
    }
}
