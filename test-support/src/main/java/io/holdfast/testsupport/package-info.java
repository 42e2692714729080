/**
 * Shared by the tests of all modules: external programs that may be missing on a machine ({@link
 * io.holdfast.testsupport.NeedsProgram}), signals to processes ({@link
 * io.holdfast.testsupport.ProcessSignals}) and the two tiers of tests ({@link
 * io.holdfast.testsupport.Thorough}).
 */
@NullMarked
package io.holdfast.testsupport;

import org.jspecify.annotations.NullMarked;
