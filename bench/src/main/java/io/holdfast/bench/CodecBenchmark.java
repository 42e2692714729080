package io.holdfast.bench;

import io.holdfast.engine.Namespace;
import io.holdfast.engine.Token;
import io.holdfast.protocol.dflockd.DflockdDecoder;
import io.holdfast.protocol.dflockd.DflockdEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Decoding a request and encoding a response. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgs = {"-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CodecBenchmark {
    private final ByteBuf acquire = direct("l\nbench_12345_99\n30 10\n");
    private final ByteBuf release = direct("r\nbench_12345_99\n0123456789abcdef0123456789abcdef\n");
    private final ByteBuf out = Unpooled.directBuffer(256);
    private final DflockdDecoder decoder = new DflockdDecoder(Namespace.DEFAULT);
    private final Token token = new Token(0x0123456789abcdefL, 0x0123456789abcdefL);

    private static ByteBuf direct(String text) {
        return Unpooled.directBuffer(256).writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Benchmark
    public @Nullable Object readAcquire() {
        return decoder.decode(acquire.readerIndex(0));
    }

    @Benchmark
    public @Nullable Object readRelease() {
        return decoder.decode(release.readerIndex(0));
    }

    @Benchmark
    public ByteBuf writeGranted() {
        DflockdEncoder.granted(token, 10_000_000_000L, out.clear());
        return out;
    }
}
