package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Patterns with wildcards, token by token. A search goes down only where the channel can match, so
 * that patterns which share no beginning with it cost nothing.
 */
final class PatternTree {
    private static final class Node {
        private @Nullable Map<ByteString, Node> children;
        private @Nullable Node star;

        /** Who listens to the pattern that ends here. */
        private @Nullable Audience here;

        /** Who listens to this and then {@code >}. */
        private @Nullable Audience rest;

        private boolean isEmpty() {
            return children == null && star == null && here == null && rest == null;
        }

        private @Nullable Node child(ByteString token) {
            if (Tokens.isStar(token)) {
                return star;
            }
            return children == null ? null : children.get(token);
        }

        private Node childOrNew(ByteString token) {
            if (Tokens.isStar(token)) {
                if (star == null) {
                    star = new Node();
                }
                return star;
            }
            if (children == null) {
                children = new HashMap<>(2);
            }
            return children.computeIfAbsent(token, _ -> new Node());
        }

        private void dropChild(ByteString token) {
            if (Tokens.isStar(token)) {
                star = null;
            } else if (children != null) {
                children.remove(token);
                if (children.isEmpty()) {
                    children = null;
                }
            }
        }
    }

    private final Node root = new Node();

    boolean isEmpty() {
        return root.isEmpty();
    }

    Audience getOrAdd(List<ByteString> pattern) {
        boolean open = Tokens.isRest(pattern.getLast());
        Node node = root;
        for (ByteString token : open ? pattern.subList(0, pattern.size() - 1) : pattern) {
            node = node.childOrNew(token);
        }
        if (open) {
            if (node.rest == null) {
                node.rest = new Audience();
            }
            return node.rest;
        }
        if (node.here == null) {
            node.here = new Audience();
        }
        return node.here;
    }

    @Nullable Audience get(List<ByteString> pattern) {
        Node node = root;
        for (ByteString token : pattern) {
            if (node == null) {
                return null;
            }
            if (Tokens.isRest(token)) {
                return node.rest;
            }
            node = node.child(token);
        }
        return node == null ? null : node.here;
    }

    /** Drops the audience of a pattern, and all nodes that are of no use without it. */
    void remove(List<ByteString> pattern) {
        remove(root, pattern, 0);
    }

    private static void remove(Node node, List<ByteString> pattern, int at) {
        if (at == pattern.size()) {
            node.here = null;
            return;
        }
        ByteString token = pattern.get(at);
        if (Tokens.isRest(token)) {
            node.rest = null;
            return;
        }
        Node child = node.child(token);
        if (child != null) {
            remove(child, pattern, at + 1);
            if (child.isEmpty()) {
                node.dropChild(token);
            }
        }
    }

    /** Adds the audiences of all patterns that match a channel. */
    void match(List<ByteString> channel, List<Audience> out) {
        match(root, channel, 0, out);
    }

    private static void match(Node node, List<ByteString> channel, int at, List<Audience> out) {
        if (at == channel.size()) {
            if (node.here != null) {
                out.add(node.here);
            }
            return;
        }
        if (node.rest != null) {
            out.add(node.rest);
        }
        if (node.children != null) {
            Node child = node.children.get(channel.get(at));
            if (child != null) {
                match(child, channel, at + 1, out);
            }
        }
        if (node.star != null) {
            match(node.star, channel, at + 1, out);
        }
    }
}
