/**
 * Exercises every feature of a running server in a loop and checks each response. Start at {@link
 * SoakCommand}; a {@link Scenario} covers one feature, and {@link SoakRun#SCENARIOS} lists them
 * all. {@link PrimaryElectionRun} needs no server: it kills the processes that serve a socketlock
 * path. {@link LockFileRun} needs none either: it kills and suspends processes that share a lock
 * file. {@link io.holdfast.verification.campaign.FaultCampaign} injects faults into a cluster.
 */
@NullMarked
package io.holdfast.verification.soak;

import org.jspecify.annotations.NullMarked;
