@NullMarked
package io.holdfast.http.lock;

import org.jspecify.annotations.NullMarked;
