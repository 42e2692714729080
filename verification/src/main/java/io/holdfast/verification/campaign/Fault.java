package io.holdfast.verification.campaign;

/** A fault that is injected into a cluster. */
public enum Fault {
    KILL_LEADER("kill the leader"),
    KILL_FOLLOWER("kill a follower"),
    KILL_MAJORITY("kill a majority"),
    KILL_ALL("kill all"),
    PAUSE_LEADER("suspend the leader"),
    PAUSE_FOLLOWER("suspend a follower"),
    CUT_OFF_LEADER("isolate the leader"),
    CUT_OFF_FOLLOWER("isolate a follower"),
    DEAF_LEADER("the leader receives nothing"),
    MUTE_LEADER("the leader sends nothing"),
    DEAF_FOLLOWER("a follower receives nothing"),
    SLOW("a slow network"),
    FULL_DISK("a node cannot write to its disk"),
    RESTART_ONE("restart a node gracefully"),
    RESTART_ALL("restart all gracefully");

    private final String description;

    Fault(String description) {
        this.description = description;
    }

    String description() {
        return description;
    }
}
