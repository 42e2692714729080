/**
 * Simulates a cluster in one thread: the production drivers, sessions and forwarders run over a
 * simulated log, network and clocks. One seed determines everything that happens.
 */
@NullMarked
package io.holdfast.cluster.simulation;

import org.jspecify.annotations.NullMarked;
