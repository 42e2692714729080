/**
 * Inspection and administration: keys, connections, the wait-for graph, events, and operator
 * actions.
 */
@NullMarked
package io.holdfast.http.inspect;

import org.jspecify.annotations.NullMarked;
