/** Values, counters and lists over HTTP: data that belongs to no session. */
@NullMarked
package io.holdfast.http.data;

import org.jspecify.annotations.NullMarked;
