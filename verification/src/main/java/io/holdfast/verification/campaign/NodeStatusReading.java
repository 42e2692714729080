package io.holdfast.verification.campaign;

/** The status that a node reports. */
record NodeStatusReading(
        int node, String role, long term, long committed, long applied, boolean serving) {
    boolean leads() {
        return role.equals("leader");
    }
}
