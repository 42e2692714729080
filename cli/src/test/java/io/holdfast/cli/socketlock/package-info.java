/** What a socketlock lock does: a model, and random histories played on all that keep one. */
@NullMarked
package io.holdfast.cli.socketlock;

import org.jspecify.annotations.NullMarked;
