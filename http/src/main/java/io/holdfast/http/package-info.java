/** The HTTP front end: addresses, settings, and how it starts and ends. */
@NullMarked
package io.holdfast.http;

import org.jspecify.annotations.NullMarked;
