package io.holdfast.cli.soak.cluster;

/** What may happen to a cluster. */
enum Fault {
    KILL_LEADER("kill the leader"),
    KILL_FOLLOWER("kill a follower"),
    KILL_MAJORITY("kill a majority"),
    KILL_ALL("kill all"),
    PAUSE_LEADER("stop the leader for a while"),
    PAUSE_FOLLOWER("stop a follower for a while"),
    CUT_OFF_LEADER("cut off the leader"),
    CUT_OFF_FOLLOWER("cut off a follower"),
    DEAF_LEADER("the leader hears nobody"),
    MUTE_LEADER("nobody hears the leader"),
    DEAF_FOLLOWER("a follower hears nobody"),
    SLOW("a slow network"),
    FULL_DISK("a node cannot write to its disk"),
    RESTART_ONE("restart a node in good order"),
    RESTART_ALL("restart all in good order");

    private final String words;

    Fault(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }
}
