package io.holdfast.cli.soak.cluster;

/** What a node says of itself. */
record NodeStatusReading(
        int node, String role, long term, long committed, long applied, boolean serving) {
    boolean leads() {
        return role.equals("leader");
    }
}
