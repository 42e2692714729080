/**
 * How one node serves its clients by the log: it brings their commands in, exactly once and in
 * order, and tells them what its own copy of the state says has become of them.
 */
@NullMarked
package io.holdfast.cluster.driver;

import org.jspecify.annotations.NullMarked;
