package io.holdfast.cluster;

import java.nio.file.Path;

/** How nodes prove to each other who they are: PEM files; both sides of a connection must. */
public record ClusterTls(Path certificate, Path key, Path authority) {}
