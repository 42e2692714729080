package io.holdfast.verification.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All workers send signals on one channel to some listeners. Each group of receivers must receive
 * each signal exactly once, and each listener must receive the signals of one worker in the order
 * in which they were sent.
 *
 * <p>A member of a queue group cannot know how many signals to wait for. So each worker ends with a
 * signal on a second channel, to which every listener listens without a group.
 */
final class SignalBroadcast {
    private final SoakCycle soakCycle;
    private final String channel;
    private final String end;
    private final List<SoakListener> listeners;

    /** The number of listeners of each group of receivers. */
    private final Map<SignalReceivers, Integer> receivers = new LinkedHashMap<>();

    /** The number of signals sent by each worker, without the closing one. */
    private final int[] sent;

    /**
     * @param end the channel of the closing signals, which no listener's pattern matches
     */
    SignalBroadcast(SoakCycle soakCycle, String channel, String end, List<SoakListener> listeners) {
        this.soakCycle = soakCycle;
        this.channel = channel;
        this.end = end;
        this.listeners = listeners;
        for (var soakListener : listeners) {
            receivers.merge(soakListener.receivers(), 1, Integer::sum);
        }
        sent = new int[soakCycle.workers()];
    }

    void run() throws IOException, CheckFailedException, InterruptedException {
        for (var soakListener : listeners) {
            soakListener.listen();
            soakListener.connection().expect("ok", "listen", end, "");
        }
        sendAndReceive();
        for (var signalReceivers : receivers.keySet()) {
            for (int worker = 0; worker < sent.length; worker++) {
                signalReceivers.receipts().check(worker, sent[worker]);
            }
        }
        checkAfterUnlisten();
    }

    private void sendAndReceive() throws IOException, CheckFailedException, InterruptedException {
        var works = new ArrayList<SoakCycle.Work>();
        for (var soakListener : listeners) {
            works.add(() -> soakListener.receive(soakCycle, channel, end));
        }
        for (int i = 0; i < soakCycle.workers(); i++) {
            int worker = i;
            works.add(() -> send(worker));
        }
        soakCycle.together(works);
    }

    private void send(int worker) throws IOException, CheckFailedException, InterruptedException {
        var connection = soakCycle.connect();
        int next = 0;
        while (next < soakCycle.rounds() && !soakCycle.ended() && acquireOnePermitEach()) {
            var payload = new NumberedPayload(worker, next).text();
            connection.expect("ok " + receivers.size(), "signal", channel, payload);
            next++;
        }
        sent[worker] = next;
        for (var group : receivers.entrySet()) {
            var _ =
                    group.getKey()
                            .acquirePermits(
                                    group.getValue(), soakCycle); // each listener receives it
        }
        connection.expect(
                "ok " + listeners.size(), "signal", end, new NumberedPayload(worker, next).text());
        soakCycle.disconnect(connection);
    }

    private boolean acquireOnePermitEach() throws InterruptedException {
        for (var signalReceivers : receivers.keySet()) {
            if (!signalReceivers.acquirePermits(1, soakCycle)) {
                return false;
            }
        }
        return true;
    }

    /** After all listeners have unregistered, a signal must reach none of them. */
    private void checkAfterUnlisten()
            throws IOException, CheckFailedException, InterruptedException {
        for (var soakListener : listeners) {
            soakListener.unlisten();
        }
        var late = soakCycle.connect();
        late.expect("ok 0", "signal", channel, "late");
        soakCycle.disconnect(late);
        for (var soakListener : listeners) {
            soakListener.connection().expect("ok", "unlisten", end, "");
            soakListener.connection().expectNoSignal();
            soakCycle.disconnect(soakListener.connection());
        }
    }
}
