package io.holdfast.cluster.raft;

import org.apache.ratis.server.leader.LogAppender;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Those who talk to the followers while this node leads; the last of each. */
final class Appenders {
    private final List<LogAppender> all = new CopyOnWriteArrayList<>();

    void add(LogAppender appender) {
        all.removeIf(known -> known.getFollowerId().equals(appender.getFollowerId()));
        all.add(appender);
    }

    /** Followers wait to hear that an entry is decided, and no other entry says so. */
    void tell() {
        for (LogAppender appender : all) {
            if (appender.isRunning()) {
                appender.notifyLogAppender();
            }
        }
    }
}
