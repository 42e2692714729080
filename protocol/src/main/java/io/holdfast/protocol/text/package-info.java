/** What our line protocols have in common: blanks, and telling a web browser from a client. */
@NullMarked
package io.holdfast.protocol.text;

import org.jspecify.annotations.NullMarked;
