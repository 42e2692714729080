@NullMarked
package io.holdfast.http.page;

import org.jspecify.annotations.NullMarked;
