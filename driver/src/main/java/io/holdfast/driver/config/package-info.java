/** Checks of settings, shared by the configuration records of all modules. */
@NullMarked
package io.holdfast.driver.config;

import org.jspecify.annotations.NullMarked;
