package io.holdfast.http.metrics;

import io.holdfast.driver.monitor.Traffic;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TcpServerConfig;
import io.vertx.core.spi.VertxMetricsFactory;
import io.vertx.core.spi.metrics.TransportMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;

/** Counts the connections and bytes of HTTP, where Vert.x tells of them. */
public final class HttpTraffic implements VertxMetricsFactory {
    private final Traffic traffic;

    public HttpTraffic(Traffic traffic) {
        this.traffic = traffic;
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
    private final class Counting implements TransportMetrics<Traffic> {
        @Override
        public Traffic connected(SocketAddress remote, String name) {
            traffic.connected();
            return traffic;
        }

        @Override
        public void disconnected(Traffic connection, SocketAddress remote) {
            connection.disconnected();
        }

        @Override
        public void bytesRead(Traffic connection, SocketAddress remote, long bytes) {
            traffic.receive(bytes);
        }

        @Override
        public void bytesWritten(Traffic connection, SocketAddress remote, long bytes) {
            traffic.send(bytes);
        }
    }
}
