/**
 * A fault campaign against a cluster of real processes. Start at {@link FaultCampaign}: it runs
 * {@link CampaignNode}s whose traffic with each other goes through a {@link ProxiedNetwork}, lets
 * {@link CampaignClient}s use them while a {@link FaultInjector} injects faults, and has a {@link
 * HistoryChecker} check the {@link OperationHistory} that the clients recorded.
 */
@NullMarked
package io.holdfast.verification.campaign;

import org.jspecify.annotations.NullMarked;
