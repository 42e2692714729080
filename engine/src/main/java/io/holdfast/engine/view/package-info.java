/**
 * What can be read of an engine: records of one moment, and {@link
 * io.holdfast.engine.view.KeyScan}, which lists keys in slices while commands go on. Start at the
 * methods of {@link io.holdfast.engine.lock.EngineViews}, which return them. {@code KeyedState} and
 * {@code CursorList} are what a scan reads; they are public for the engine only.
 */
@NullMarked
package io.holdfast.engine.view;

import org.jspecify.annotations.NullMarked;
