package io.holdfast.verification.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Acquires and releases its key repeatedly, one round at a time. Used on the event loop only.
 * Requests are encoded once and reused, so that a round allocates nothing.
 */
final class BenchWorker {
    /** The request that the next response belongs to. */
    private enum Step {
        AUTH,
        ACQUIRE,
        RELEASE
    }

    private static final int TOKEN_LENGTH = 32;

    private final BenchRun run;
    private final int number;
    private final List<BenchConnection> connections;
    private final byte[] releaseHead;
    private final ByteBuf acquire;
    private ByteBuf release;
    private int releaseTokenLength = TOKEN_LENGTH;

    private Step step = Step.AUTH;
    private boolean measuring;
    private int round;
    private int rounds;
    private int current;
    private long startedNanos;

    BenchWorker(BenchRun run, int number, String key, BenchOptions options) {
        this.run = run;
        this.number = number;
        connections = new ArrayList<>(options.connections());
        for (int i = 0; i < options.connections(); i++) {
            connections.add(new BenchConnection(this));
        }
        String lease = options.leaseSeconds() == 0 ? "" : " " + options.leaseSeconds();
        acquire = direct(bytes("l\n" + key + "\n" + options.timeoutSeconds() + lease + "\n"));
        releaseHead = bytes("r\n" + key + "\n");
        release = releaseRequest(TOKEN_LENGTH);
    }

    int number() {
        return number;
    }

    List<BenchConnection> connections() {
        return connections;
    }

    /** Runs {@code count} rounds, then calls {@link BenchRun#roundsDone}. */
    void start(int count, boolean measure) {
        rounds = count;
        measuring = measure;
        round = 0;
        current = 0;
        if (count == 0) {
            run.roundsDone();
            return;
        }
        startedNanos = System.nanoTime();
        sendAcquire();
    }

    void onResponse(byte[] line, int length) {
        switch (step) {
            case AUTH -> onAuthResponse(line, length);
            case ACQUIRE -> onAcquireResponse(line, length);
            case RELEASE -> onReleaseResponse(line, length);
        }
    }

    void fail(String reason) {
        run.fail(number, reason);
    }

    /** Call once, when no request is in flight any more. */
    void free() {
        acquire.release();
        release.release();
    }

    private void onAuthResponse(byte[] line, int length) {
        if (isOk(line, length)) {
            run.ready();
        } else {
            fail("authentication failed: the server responded " + quoted(line, length));
        }
    }

    private void sendAcquire() {
        step = Step.ACQUIRE;
        send(acquire);
    }

    private void onAcquireResponse(byte[] line, int length) {
        if (length < 4 || line[0] != 'o' || line[1] != 'k' || line[2] != ' ') {
            fail("acquire: the server responded " + quoted(line, length));
            return;
        }
        int end = 3;
        while (end < length && line[end] != ' ') {
            end++;
        }
        int tokenLength = end - 3;
        if (tokenLength != releaseTokenLength) {
            release.release();
            release = releaseRequest(tokenLength);
            releaseTokenLength = tokenLength;
        }
        release.setBytes(releaseHead.length, line, 3, tokenLength);
        step = Step.RELEASE;
        send(release);
    }

    private void onReleaseResponse(byte[] line, int length) {
        if (!isOk(line, length)) {
            fail("release: the server responded " + quoted(line, length));
            return;
        }
        long now = System.nanoTime();
        if (measuring) {
            run.record(number, round, now - startedNanos);
        }
        if (++round == rounds) {
            run.roundsDone();
            return;
        }
        if (++current == connections.size()) {
            current = 0;
        }
        startedNanos = now;
        sendAcquire();
    }

    private void send(ByteBuf request) {
        int length = request.capacity();
        // The transport may still hold the buffer for a moment after the server has received it.
        ByteBuf reusable = request.refCnt() == 1 ? request.retain() : request.copy(0, length);
        connections.get(current).send(reusable.setIndex(0, length), run.tick());
    }

    private ByteBuf releaseRequest(int tokenLength) {
        var request = new byte[releaseHead.length + tokenLength + 1];
        System.arraycopy(releaseHead, 0, request, 0, releaseHead.length);
        request[request.length - 1] = '\n';
        return direct(request);
    }

    private static boolean isOk(byte[] line, int length) {
        return length == 2 && line[0] == 'o' && line[1] == 'k';
    }

    private static String quoted(byte[] line, int length) {
        return '"' + BenchConnection.text(line, length) + '"';
    }

    private static ByteBuf direct(byte[] content) {
        return Unpooled.directBuffer(content.length, content.length).writeBytes(content);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
