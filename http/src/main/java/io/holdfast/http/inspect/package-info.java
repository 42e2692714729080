/**
 * What goes on in the server, for those who look and for operators: keys, connections, who waits
 * for whom, events, and what may be ended by force.
 */
@NullMarked
package io.holdfast.http.inspect;

import org.jspecify.annotations.NullMarked;
