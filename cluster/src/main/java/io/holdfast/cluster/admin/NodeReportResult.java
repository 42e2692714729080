package io.holdfast.cluster.admin;

import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;

import org.jspecify.annotations.Nullable;

/**
 * The result of a status query to a node.
 *
 * @param report null if the node did not respond
 * @param failure why it did not respond; null if it did
 */
public record NodeReportResult(
        NodeAddress node, @Nullable NodeReport report, @Nullable String failure) {}
