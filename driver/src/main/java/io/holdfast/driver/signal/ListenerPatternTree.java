package io.holdfast.driver.signal;

import io.holdfast.engine.ByteString;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A trie of patterns with wildcards, by token. A search only descends where the channel can match,
 * so that patterns without a common prefix cost nothing.
 */
final class ListenerPatternTree {
    private static final class Node {
        /**
         * The token of the only child that is not a wildcard, while there is at most one: the
         * common case.
         */
        private @Nullable ByteString token;

        private @Nullable Node child;

        /** The children that are not wildcards, once there are several. */
        private @Nullable Map<ByteString, Node> children;

        private @Nullable Node star;

        /** The listeners of the pattern that ends here. */
        private @Nullable PatternListeners here;

        /** The listeners of the pattern that continues with {@code >}. */
        private @Nullable PatternListeners rest;

        private boolean isEmpty() {
            return child == null
                    && children == null
                    && star == null
                    && here == null
                    && rest == null;
        }

        /** The child for a token of a channel. */
        private @Nullable Node named(ByteString name) {
            if (children != null) {
                return children.get(name);
            }
            return token != null && token.equals(name) ? child : null;
        }

        /** The child for a token of a pattern. */
        private @Nullable Node next(ByteString name) {
            return ChannelTokens.isStar(name) ? star : named(name);
        }

        private Node nextOrNew(ByteString name) {
            Node found = next(name);
            if (found != null) {
                return found;
            }
            Node made = new Node();
            if (ChannelTokens.isStar(name)) {
                star = made;
            } else if (children != null) {
                children.put(name, made);
            } else if (child == null || token == null) {
                token = name;
                child = made;
            } else {
                children = new HashMap<>(4);
                children.put(token, child);
                children.put(name, made);
                token = null;
                child = null;
            }
            return made;
        }

        private void drop(ByteString name) {
            if (ChannelTokens.isStar(name)) {
                star = null;
            } else if (children != null) {
                children.remove(name);
                if (children.isEmpty()) {
                    children = null;
                }
            } else {
                token = null;
                child = null;
            }
        }
    }

    private final Node root = new Node();

    boolean isEmpty() {
        return root.isEmpty();
    }

    PatternListeners getOrAdd(List<ByteString> pattern) {
        boolean open = ChannelTokens.isRest(pattern.getLast());
        Node node = root;
        for (ByteString token : open ? pattern.subList(0, pattern.size() - 1) : pattern) {
            node = node.nextOrNew(token);
        }
        if (open) {
            if (node.rest == null) {
                node.rest = new PatternListeners();
            }
            return node.rest;
        }
        if (node.here == null) {
            node.here = new PatternListeners();
        }
        return node.here;
    }

    @Nullable PatternListeners get(List<ByteString> pattern) {
        Node node = root;
        for (ByteString token : pattern) {
            if (node == null) {
                return null;
            }
            if (ChannelTokens.isRest(token)) {
                return node.rest;
            }
            node = node.next(token);
        }
        return node == null ? null : node.here;
    }

    /** Removes the listeners of a pattern, and the nodes that become empty. */
    void remove(List<ByteString> pattern) {
        remove(root, pattern, 0);
    }

    private static void remove(Node node, List<ByteString> pattern, int at) {
        if (at == pattern.size()) {
            node.here = null;
            return;
        }
        ByteString token = pattern.get(at);
        if (ChannelTokens.isRest(token)) {
            node.rest = null;
            return;
        }
        Node next = node.next(token);
        if (next != null) {
            remove(next, pattern, at + 1);
            if (next.isEmpty()) {
                node.drop(token);
            }
        }
    }

    /**
     * Adds the listeners of all patterns that match a channel; returns the number of visited nodes.
     */
    int match(List<ByteString> channel, List<PatternListeners> out) {
        return match(root, channel, 0, out);
    }

    private static int match(
            Node from, List<ByteString> channel, int start, List<PatternListeners> out) {
        int visited = 0;
        Node node = from;
        for (int at = start;
                node != null;
                at++) { // iterates along one path; recursion only where two paths match
            visited++;
            if (at == channel.size()) {
                if (node.here != null) {
                    out.add(node.here);
                }
                break;
            }
            if (node.rest != null) {
                out.add(node.rest);
            }
            Node named = node.named(channel.get(at));
            if (named != null && node.star != null) {
                visited += match(named, channel, at + 1, out);
                node = node.star;
            } else {
                node = named != null ? named : node.star;
            }
        }
        return visited;
    }
}
