/**
 * Exercises every feature of a running server in a loop and checks each answer. Start at {@link
 * SoakCommand}; a {@link Scenario} is one feature, and {@link SoakRun#SCENARIOS} lists them all.
 * {@link ElectionRun} needs no server: it kills the processes that serve a socketlock path. {@link
 * LockFileRun} neither: it troubles processes that share a lock file. {@link
 * io.holdfast.cli.soak.cluster.FaultCampaign} troubles a cluster.
 */
@NullMarked
package io.holdfast.cli.soak;

import org.jspecify.annotations.NullMarked;
