/**
 * What the tests of all modules share: outside programs that a machine need not have ({@link
 * io.holdfast.testsupport.NeedsProgram}), signals to processes ({@link
 * io.holdfast.testsupport.ProcessSignals}) and the two tiers of tests ({@link
 * io.holdfast.testsupport.Thorough}).
 */
@NullMarked
package io.holdfast.testsupport;

import org.jspecify.annotations.NullMarked;
