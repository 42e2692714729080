@NullMarked
package io.holdfast.http;

import org.jspecify.annotations.NullMarked;
