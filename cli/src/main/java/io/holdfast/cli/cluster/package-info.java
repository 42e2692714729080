/** {@code holdfast cluster}: the demo cluster, and the commands that administer a cluster. */
@NullMarked
package io.holdfast.cli.cluster;

import org.jspecify.annotations.NullMarked;
