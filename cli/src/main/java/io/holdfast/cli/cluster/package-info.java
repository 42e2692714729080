/** {@code holdfast cluster}: a first look at one, and what is done to one that runs. */
@NullMarked
package io.holdfast.cli.cluster;

import org.jspecify.annotations.NullMarked;
