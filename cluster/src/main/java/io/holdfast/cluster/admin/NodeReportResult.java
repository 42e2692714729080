package io.holdfast.cluster.admin;

import io.holdfast.cluster.NodeAddress;
import io.holdfast.cluster.NodeReport;

import org.jspecify.annotations.Nullable;

/**
 * What a node said when it was asked.
 *
 * @param report null if it did not answer
 * @param failure why it did not; null if it did
 */
public record NodeReportResult(
        NodeAddress node, @Nullable NodeReport report, @Nullable String failure) {}
