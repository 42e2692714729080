package io.holdfast.http.inspect;

import io.holdfast.engine.Key;
import io.holdfast.engine.ResourceKind;

/** A key and its kind: identifies what can be held and waited for. */
record ResourceKey(ResourceKind kind, Key key) {}
