/** Certificates and keys from PEM files, for all that speaks TLS: servers, nodes and commands. */
@NullMarked
package io.holdfast.driver.tls;

import org.jspecify.annotations.NullMarked;
