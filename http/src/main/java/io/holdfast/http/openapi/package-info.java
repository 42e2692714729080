/** Describes the API to programs. */
@NullMarked
package io.holdfast.http.openapi;

import org.jspecify.annotations.NullMarked;
