package io.holdfast.verification.bench;

import io.holdfast.console.options.ServerAddress;
import io.holdfast.console.options.TrustedCertificates;
import io.holdfast.driver.FailureText;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLException;

/**
 * Runs the benchmark once: connects all workers, runs their warm-up rounds, starts the measured
 * rounds of all workers together and waits for the last one. After {@link #run} returns or throws,
 * every connection is closed. The fields are used on the one event loop only.
 */
final class BenchRun {
    private enum Phase {
        CONNECTING,
        WARMING_UP,
        MEASURING
    }

    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;

    private static final long CLOSE_SECONDS = 5;

    /** Seconds after the acquire timeout until a server that sends no response counts as dead. */
    private static final long RESPONSE_TIMEOUT_SECONDS = 10;

    /** Limited, so that thousands of connections do not overflow the server's accept queue. */
    private static final int CONNECTING_AT_ONCE = 128;

    /** In bytes; fits any response. A small buffer keeps the reads cheap. */
    private static final int READ_BUFFER = 512;

    private final BenchOptions options;
    private final @Nullable SslContext tls;
    private final long[] latencies;
    private final List<BenchWorker> workers;
    private final CompletableFuture<Long> wallNanos = new CompletableFuture<>();

    private Phase phase = Phase.CONNECTING;
    private int connectionsStarted;
    private int connectionsReady;
    private int workersDone;
    private long startNanos;
    private long tick;

    /** Throws if the certificate authorities cannot be read. */
    BenchRun(BenchOptions options) throws SSLException {
        this.options = options;
        tls = options.tls() == null ? null : tls(options.tls());
        latencies = new long[options.operations()];
        var keys = options.workerKeys();
        workers = new ArrayList<>(options.workers());
        for (int i = 0; i < options.workers(); i++) {
            workers.add(new BenchWorker(this, i, keys.get(i), options));
        }
    }

    /** Call once. */
    BenchReport run() throws WorkerException, InterruptedException {
        int connections = options.workers() * options.connections();
        var group = new MultiThreadIoEventLoopGroup(1, options.transport().handlers(connections));
        // With true, the group also closes channels that are added after it was closed.
        var channels = new DefaultChannelGroup(group.next(), true);
        try {
            var bootstrap = bootstrap(group);
            group.execute(
                    () -> {
                        for (int i = 0; i < CONNECTING_AT_ONCE; i++) {
                            connectNext(bootstrap, channels);
                        }
                    });
            var _ = group.scheduleAtFixedRate(this::watch, 1, 1, TimeUnit.SECONDS);
            wallNanos.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof WorkerException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            channels.close().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
            group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
            workers.forEach(BenchWorker::free);
        }
        return new BenchReport(options, wallNanos.join(), new Latencies(latencies));
    }

    /** Returns the approximate seconds since the start; cheaper than reading a clock. */
    long tick() {
        return tick;
    }

    void record(int worker, int round, long nanos) {
        latencies[worker * options.rounds() + round] = nanos;
    }

    void roundsDone() {
        if (++workersDone < workers.size()) {
            return;
        }
        workersDone = 0;
        if (phase == Phase.WARMING_UP) {
            measure();
        } else {
            wallNanos.complete(System.nanoTime() - startNanos);
        }
    }

    /** A connection is open and, if configured, encrypted and authenticated. */
    void ready() {
        if (++connectionsReady == workers.size() * options.connections()) {
            phase = Phase.WARMING_UP;
            workers.forEach(benchWorker -> benchWorker.start(options.warmup(), false));
        }
    }

    /** The first failure ends the run; later ones, which often follow from it, are ignored. */
    void fail(int worker, String reason) {
        if (!wallNanos.isDone()) {
            wallNanos.completeExceptionally(new WorkerException(worker, reason));
        }
    }

    private void measure() {
        phase = Phase.MEASURING;
        startNanos = System.nanoTime();
        workers.forEach(benchWorker -> benchWorker.start(options.rounds(), true));
    }

    private void watch() {
        tick++;
        for (var benchWorker : workers) {
            for (var benchConnection : benchWorker.connections()) {
                if (benchConnection.isOverdue(
                        tick, options.timeoutSeconds() + RESPONSE_TIMEOUT_SECONDS)) {
                    benchWorker.fail("no response from " + options.serverOf(benchWorker.number()));
                    return;
                }
            }
        }
    }

    private Bootstrap bootstrap(MultiThreadIoEventLoopGroup group) {
        return new Bootstrap()
                .group(group)
                .channel(options.transport().channel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS);
    }

    private void connectNext(Bootstrap template, ChannelGroup channels) {
        if (connectionsStarted == workers.size() * options.connections() || wallNanos.isDone()) {
            return;
        }
        var benchWorker = workers.get(connectionsStarted / options.connections());
        var benchConnection =
                benchWorker.connections().get(connectionsStarted % options.connections());
        connectionsStarted++;
        var server = options.serverOf(benchWorker.number());
        var bootstrap = template.clone().handler(pipeline(benchConnection, server));
        var connecting = bootstrap.connect(server.host(), server.port());
        channels.add(connecting.channel());
        connecting.addListener(
                (ChannelFuture future) -> {
                    if (future.isSuccess()) {
                        opened(benchWorker, benchConnection, future.channel());
                        connectNext(template, channels);
                    } else {
                        var reason = FailureText.of(future.cause());
                        benchWorker.fail("cannot connect to " + server + ": " + reason);
                    }
                });
    }

    private ChannelInitializer<Channel> pipeline(
            BenchConnection benchConnection, ServerAddress server) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                if (tls == null) {
                    channel.config()
                            .setRecvByteBufAllocator(new FixedRecvByteBufAllocator(READ_BUFFER));
                } else {
                    var alloc = channel.alloc();
                    channel.pipeline().addLast(tls.newHandler(alloc, server.host(), server.port()));
                }
                channel.pipeline().addLast(benchConnection);
            }
        };
    }

    private void opened(BenchWorker benchWorker, BenchConnection benchConnection, Channel channel) {
        benchConnection.opened(channel);
        var encryption = channel.pipeline().get(SslHandler.class);
        if (encryption == null) {
            authenticate(benchConnection);
            return;
        }
        encryption
                .handshakeFuture()
                .addListener(
                        future -> {
                            if (future.isSuccess()) {
                                authenticate(benchConnection);
                            } else {
                                benchWorker.fail(FailureText.of(future.cause()));
                            }
                        });
    }

    private void authenticate(BenchConnection benchConnection) {
        var secret = options.authToken();
        if (secret == null) {
            ready();
        } else {
            benchConnection.send(authRequest(secret), tick);
        }
    }

    private static ByteBuf authRequest(String secret) {
        return Unpooled.copiedBuffer("auth\n_\n" + secret + "\n", StandardCharsets.UTF_8);
    }

    private static SslContext tls(BenchOptions.Tls settings) throws SSLException {
        var builder = SslContextBuilder.forClient();
        if (settings.authorities() != null) {
            builder.trustManager(TrustedCertificates.trust(settings.authorities()));
        }
        return builder.build();
    }
}
