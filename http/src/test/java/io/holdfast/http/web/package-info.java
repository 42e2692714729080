@NullMarked
package io.holdfast.http.web;

import org.jspecify.annotations.NullMarked;
