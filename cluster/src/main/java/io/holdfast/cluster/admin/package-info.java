/** What is done to a cluster from outside: looking at it, and changing who is in it. */
@NullMarked
package io.holdfast.cluster.admin;

import org.jspecify.annotations.NullMarked;
