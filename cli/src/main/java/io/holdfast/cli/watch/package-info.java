/**
 * Commands that inspect a server over HTTP: {@code top} shows keys, connections and waits, live;
 * {@code explain} explains why a key is blocked. Start at {@link
 * io.holdfast.cli.watch.InspectionCommands}. The output is made from JSON by classes that are
 * independent of the terminal ({@code KeyExplanation}, {@code TopScreenText}).
 */
@NullMarked
package io.holdfast.cli.watch;

import org.jspecify.annotations.NullMarked;
