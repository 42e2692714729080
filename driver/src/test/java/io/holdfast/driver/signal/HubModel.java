package io.holdfast.driver.signal;

import io.holdfast.driver.signal.HubScript.Name;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A reference model of section 13: a list of registrations with linear search. Listeners are
 * numbers.
 */
final class HubModel {
    /** A pattern and a group, empty for none. */
    record ModelTopic(Name pattern, String group) {
        boolean isWild() {
            return pattern.text().contains("*") || pattern.text().contains(">");
        }
    }

    /** The outcome of a signal: the receivers, and the set of overrun listeners. */
    record Outcome(List<Integer> receivers, Set<Integer> overrun) {}

    /** Listeners of which all, or one, should get a signal. */
    private record RecipientGroup(List<Integer> members, boolean all, int first) {
        List<Integer> inOrder() {
            List<Integer> order = new ArrayList<>(members.subList(first, members.size()));
            order.addAll(members.subList(0, first));
            return order;
        }
    }

    /** A state of the search for an explanation of an outcome. */
    private record SearchState(int step, Set<Integer> left, int at, Set<Integer> overrun) {}

    private final int maxSubscriptions;
    private final Map<ModelTopic, List<Integer>> members = new LinkedHashMap<>();
    private final Map<ModelTopic, Integer> turns = new HashMap<>();
    private final Set<Integer> closed = new HashSet<>();
    private final Set<Integer> full = new HashSet<>();

    HubModel(int maxSubscriptions) {
        this.maxSubscriptions = maxSubscriptions;
    }

    static boolean matches(List<String> pattern, List<String> channel) {
        if (pattern.isEmpty() || channel.isEmpty()) {
            return pattern.isEmpty() && channel.isEmpty();
        }
        return switch (pattern.getFirst()) {
            case ">" -> true;
            case "*" -> matches(rest(pattern), rest(channel));
            case String token ->
                    token.equals(channel.getFirst()) && matches(rest(pattern), rest(channel));
        };
    }

    private static List<String> rest(List<String> tokens) {
        return tokens.subList(1, tokens.size());
    }

    static boolean isValid(List<String> pattern) {
        for (String token : pattern) {
            boolean wild = token.contains("*") || token.contains(">");
            if (wild && token.length() != 1) {
                return false;
            }
        }
        int rest = pattern.indexOf(">");
        return rest < 0 || rest == pattern.size() - 1;
    }

    /**
     * @param memoryLeft whether there is memory for one more
     */
    ListenOutcome listen(int who, ModelTopic modelTopic, boolean memoryLeft) {
        if (!isValid(modelTopic.pattern().tokens())) {
            return ListenOutcome.INVALID_PATTERN;
        }
        if (closed.contains(who)) {
            return ListenOutcome.CLOSED;
        }
        if (isListening(who, modelTopic)) {
            return ListenOutcome.LISTENING;
        }
        if (isAtCap(who) || !memoryLeft) {
            return ListenOutcome.LIMIT_REACHED;
        }
        members.computeIfAbsent(modelTopic, _ -> new ArrayList<>()).add(who);
        return ListenOutcome.LISTENING;
    }

    boolean isListening(int who, ModelTopic modelTopic) {
        return members.getOrDefault(modelTopic, List.of()).contains(who);
    }

    private boolean isAtCap(int who) {
        long has = members.values().stream().filter(people -> people.contains(who)).count();
        return maxSubscriptions > 0 && has >= maxSubscriptions;
    }

    void unlisten(int who, ModelTopic modelTopic) {
        List<Integer> people = members.get(modelTopic);
        if (people != null && people.removeIf(person -> person == who) && people.isEmpty()) {
            members.remove(modelTopic);
            turns.remove(modelTopic);
        }
    }

    void close(int who) {
        List.copyOf(members.keySet()).forEach(modelTopic -> unlisten(who, modelTopic));
        closed.add(who);
    }

    void reopen(int who) {
        closed.remove(who);
    }

    void setFull(int who, boolean isFull) {
        if (isFull) {
            full.add(who);
        } else {
            full.remove(who);
        }
    }

    Map<ModelTopic, List<Integer>> members() {
        return members;
    }

    /**
     * Emits a signal, and returns whether the rules allow this outcome. The order of patterns and
     * groups inside a step is not specified, so any order may explain the outcome.
     */
    boolean allows(Name channel, Outcome outcome) {
        List<List<RecipientGroup>> steps = List.of(list(), list(), list(), list());
        members.forEach(
                (modelTopic, people) -> {
                    if (!reaches(channel, modelTopic)) {
                        return;
                    }
                    boolean alone = modelTopic.group().isEmpty();
                    int first = alone ? 0 : turns.merge(modelTopic, 1, Integer::sum) - 1;
                    steps.get((modelTopic.isWild() ? 2 : 0) + (alone ? 0 : 1))
                            .add(
                                    new RecipientGroup(
                                            List.copyOf(people), alone, first % people.size()));
                });
        return isExplained(
                steps, new SearchState(-1, Set.of(), 0, Set.of()), outcome, new HashSet<>());
    }

    private static List<RecipientGroup> list() {
        return new ArrayList<>();
    }

    private static boolean reaches(Name channel, ModelTopic modelTopic) {
        return channel.namespace().equals(modelTopic.pattern().namespace())
                && (modelTopic.isWild()
                        ? matches(modelTopic.pattern().tokens(), channel.tokens())
                        : modelTopic.pattern().text().equals(channel.text()));
    }

    private boolean isExplained(
            List<List<RecipientGroup>> steps,
            SearchState searchState,
            Outcome outcome,
            Set<SearchState> visited) {
        if (searchState.left().isEmpty()) {
            int next = searchState.step() + 1;
            if (next == steps.size()) {
                return searchState.at() == outcome.receivers().size()
                        && searchState.overrun().equals(outcome.overrun());
            }
            Set<Integer> all = new HashSet<>();
            for (int i = 0; i < steps.get(next).size(); i++) {
                all.add(i);
            }
            return isExplained(
                    steps,
                    new SearchState(next, all, searchState.at(), searchState.overrun()),
                    outcome,
                    visited);
        }
        if (!visited.add(searchState)) {
            return false;
        }
        for (int party : searchState.left()) {
            Set<Integer> left = new HashSet<>(searchState.left());
            left.remove(party);
            Set<Integer> overrun = new HashSet<>(searchState.overrun());
            List<Integer> served = outcome.receivers().subList(0, searchState.at());
            List<Integer> next = serve(steps.get(searchState.step()).get(party), served, overrun);
            int end = searchState.at() + next.size();
            if (end <= outcome.receivers().size()
                    && outcome.receivers().subList(searchState.at(), end).equals(next)
                    && isExplained(
                            steps,
                            new SearchState(searchState.step(), left, end, overrun),
                            outcome,
                            visited)) {
                return true;
            }
        }
        return false;
    }

    /** The recipients in a group, given those chosen already. */
    private List<Integer> serve(
            RecipientGroup recipientGroup, List<Integer> served, Set<Integer> overrun) {
        List<Integer> without =
                recipientGroup.inOrder().stream().filter(who -> !served.contains(who)).toList();
        List<Integer> ready = without.stream().filter(who -> !full.contains(who)).toList();
        if (recipientGroup.all()) {
            without.stream().filter(full::contains).forEach(overrun::add);
            return ready;
        }
        if (!ready.isEmpty()) {
            return ready.subList(0, 1);
        }
        without.stream().limit(1).forEach(overrun::add);
        return List.of();
    }
}
