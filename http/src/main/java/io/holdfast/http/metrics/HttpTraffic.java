package io.holdfast.http.metrics;

import io.holdfast.driver.monitor.ProtocolTraffic;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TcpServerConfig;
import io.vertx.core.spi.VertxMetricsFactory;
import io.vertx.core.spi.metrics.TransportMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;

/** Counts the connections and bytes of HTTP, as reported by Vert.x. */
public final class HttpTraffic implements VertxMetricsFactory {
    private final ProtocolTraffic protocolTraffic;

    public HttpTraffic(ProtocolTraffic protocolTraffic) {
        this.protocolTraffic = protocolTraffic;
    }

    @Override
    public VertxMetrics metrics(VertxOptions options) {
        return new VertxMetrics() {
            @Override
            public TransportMetrics<?> createTcpServerMetrics(
                    TcpServerConfig config, String protocol, SocketAddress address) {
                return new Counting();
            }
        };
    }

    /** The connections of one listener. */
    private final class Counting implements TransportMetrics<ProtocolTraffic> {
        @Override
        public ProtocolTraffic connected(SocketAddress remote, String name) {
            protocolTraffic.connected();
            return protocolTraffic;
        }

        @Override
        public void disconnected(ProtocolTraffic connection, SocketAddress remote) {
            connection.disconnected();
        }

        @Override
        public void bytesRead(ProtocolTraffic connection, SocketAddress remote, long bytes) {
            protocolTraffic.receive(bytes);
        }

        @Override
        public void bytesWritten(ProtocolTraffic connection, SocketAddress remote, long bytes) {
            protocolTraffic.send(bytes);
        }
    }
}
