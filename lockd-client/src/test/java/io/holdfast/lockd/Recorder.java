package io.holdfast.lockd;

import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the events of a listener. */
class Recorder implements LockdListener {
    private final List<String> notices = new CopyOnWriteArrayList<>();

    List<String> notices() {
        return notices;
    }

    void awaitNotices(int count) {
        await().until(() -> notices.size() >= count);
    }

    @Override
    public void connected(LockdClient client) {
        notices.add("connected");
    }

    @Override
    public void closed(LockdClient client) {
        notices.add("closed");
    }

    @Override
    public void failed(LockdClient client, LockdException cause) {
        notices.add("failed: " + cause.getMessage());
    }
}
