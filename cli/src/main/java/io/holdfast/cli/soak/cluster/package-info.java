/**
 * A fault campaign against a cluster of real processes. Start at {@link FaultCampaign}: it runs
 * {@link CampaignNode}s whose traffic with each other goes through a {@link ProxiedNetwork} that
 * can be broken, lets {@link CampaignClient}s use them while a {@link FaultInjector} makes faults,
 * and has a {@link HistoryChecker} look at what the clients wrote into the {@link
 * OperationHistory}.
 */
@NullMarked
package io.holdfast.cli.soak.cluster;

import org.jspecify.annotations.NullMarked;
