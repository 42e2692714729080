/** Administration of a cluster: status, membership, backup and restore. */
@NullMarked
package io.holdfast.cluster.admin;

import org.jspecify.annotations.NullMarked;
