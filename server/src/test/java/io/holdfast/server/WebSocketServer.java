package io.holdfast.server;

import io.holdfast.engine.Namespace;
import io.holdfast.server.dflockd.DflockdProtocol;
import io.holdfast.server.listener.ListenAddress;
import io.holdfast.server.listener.ListenEndpoint;
import io.holdfast.server.listener.StartException;
import io.holdfast.server.lockd.LockdOptions;
import io.holdfast.server.lockd.LockdProtocol;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;

import javax.net.ssl.SSLContext;

/** A server with lockd on a WebSocket, lockd on TCP and dflockd, for tests of other packages. */
public final class WebSocketServer implements AutoCloseable {
    private final HoldfastServer server;
    private final SSLContext trusting;

    private WebSocketServer(HoldfastServer server, SSLContext trusting) {
        this.server = server;
        this.trusting = trusting;
    }

    /** Options of a test. */
    public static final class Options {
        private final TestConfig config = new TestConfig();
        private boolean allowDump = true;
        private boolean tls;

        public Options allowedOrigins(String... names) {
            config.allowedOrigins(names);
            return this;
        }

        public Options readTimeout(Duration value) {
            config.readTimeout(value);
            return this;
        }

        public Options writeTimeout(Duration value) {
            config.writeTimeout(value);
            return this;
        }

        public Options eventLoops(int value) {
            config.eventLoops(value);
            return this;
        }

        public Options maxConnections(int value) {
            config.maxConnections(value);
            return this;
        }

        public Options transport(IoTransport value) {
            config.transport(value);
            return this;
        }

        public Options noDump() {
            allowDump = false;
            return this;
        }

        /** Enables TLS on the WebSocket listener. */
        public Options tls() {
            tls = true;
            return this;
        }

        public WebSocketServer start(Path folder) {
            try {
                SSLContext trusting = null;
                if (tls) {
                    TestCertificates certificates = TestCertificates.ec();
                    config.tls(certificates.files(folder));
                    trusting = certificates.trusting();
                }
                config.listeners(
                        lockd(true, tls),
                        lockd(false, false),
                        DflockdProtocol.endpoint("127.0.0.1", 0, false));
                return new WebSocketServer(HoldfastServer.start(config.build()), trusting);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (StartException | GeneralSecurityException e) {
                throw new AssertionError(e);
            }
        }

        public WebSocketServer start() {
            return start(Path.of("."));
        }

        private ListenEndpoint lockd(boolean webSocket, boolean overTls) {
            return new ListenEndpoint(
                    webSocket
                            ? overTls ? LockdProtocol.WEB_SOCKET_TLS : LockdProtocol.WEB_SOCKET
                            : LockdProtocol.TCP,
                    new ListenAddress.Tcp("127.0.0.1", 0),
                    new LockdOptions(Namespace.DEFAULT, allowDump, true));
        }
    }

    public InetSocketAddress webSocket() {
        return server.addresses().get(0);
    }

    public InetSocketAddress lockd() {
        return server.addresses().get(1);
    }

    public InetSocketAddress dflockd() {
        return server.addresses().get(2);
    }

    /** A context of a client that trusts the server. */
    public SSLContext trusting() {
        return trusting;
    }

    /** Begins to drain, in a new thread. */
    public Thread drain() {
        return Thread.startVirtualThread(server::drain);
    }

    @Override
    public void close() {
        server.close();
    }
}
