/**
 * A fault campaign against a cluster of real processes. Start at {@link Campaign}: it runs {@link
 * CampaignNode}s whose traffic with each other goes through a {@link Network} that can be broken,
 * lets {@link Client}s use them while a {@link Saboteur} makes faults, and has a {@link Checker}
 * look at what the clients wrote into the {@link History}.
 */
@NullMarked
package io.holdfast.cli.soak.cluster;

import org.jspecify.annotations.NullMarked;
