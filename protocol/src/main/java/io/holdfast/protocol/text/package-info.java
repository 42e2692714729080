/** What the line protocols share: whitespace, and the detection of web browsers. */
@NullMarked
package io.holdfast.protocol.text;

import org.jspecify.annotations.NullMarked;
