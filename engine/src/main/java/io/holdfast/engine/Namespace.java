package io.holdfast.engine;

/** A tenant's wall: equal bytes in two namespaces are two keys. */
public record Namespace(String name) {
    public static final Namespace DEFAULT = new Namespace("");
}
