@NullMarked
package io.holdfast.http.dashboard;

import org.jspecify.annotations.NullMarked;
