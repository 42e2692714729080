package io.holdfast.engine;

/** Separates the keys of tenants: equal bytes in two namespaces are two keys. */
public record Namespace(String name) {
    public static final Namespace DEFAULT = new Namespace("");
}
