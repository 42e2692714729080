/** The OpenAPI description of the HTTP API. */
@NullMarked
package io.holdfast.http.openapi;

import org.jspecify.annotations.NullMarked;
