package io.holdfast.cluster;

import java.nio.file.Path;

/** The PEM files of mutual TLS between nodes. */
public record ClusterTls(Path certificate, Path key, Path authority) {}
