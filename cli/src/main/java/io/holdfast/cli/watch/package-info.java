/**
 * Commands that look at a server over HTTP: {@code top} shows all of it, live; {@code explain} says
 * why one key is stuck. Start at {@link io.holdfast.cli.watch.InspectionCommands}. What is shown is
 * made from JSON by classes that know no terminal ({@code Explanation}, {@code Screen}).
 */
@NullMarked
package io.holdfast.cli.watch;

import org.jspecify.annotations.NullMarked;
