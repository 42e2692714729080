package io.holdfast.driver.signal;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.driver.signal.HubModel.ModelTopic;
import io.holdfast.driver.signal.HubModel.Outcome;
import io.holdfast.driver.signal.HubScript.Name;
import io.holdfast.driver.signal.HubScript.Step;
import io.holdfast.engine.ByteString;
import io.holdfast.engine.Key;
import io.holdfast.engine.Namespace;

import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.domains.Domain;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Random scripts of all hub operations. A failing one is shrunk and printed with its seed. */
@Label("Random scripts of a hub")
@Domain(HubScript.Domain.class)
class SignalHubPropertyTest {
    @Property(tries = 800, edgeCases = EdgeCasesMode.NONE)
    void signals_reach_the_recipients_that_the_reference_model_allows(@ForAll HubScript script) {
        Run run = new Run(script);
        script.steps().forEach(run::step);
    }

    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
    void the_hub_is_empty_when_all_subscribers_have_closed(@ForAll HubScript script) {
        Run run = new Run(script);
        script.steps().forEach(run::step);
        for (int who = 0; who < script.people(); who++) {
            run.step(new Step.Close(who));
        }
        run.signals.assertEmpty();
    }

    @Property(tries = 150, edgeCases = EdgeCasesMode.NONE)
    void the_hub_is_empty_when_all_registrations_have_ended_one_by_one(@ForAll HubScript script) {
        Run run = new Run(script);
        script.steps().forEach(run::step);
        for (int i = 0; !run.model.members().isEmpty(); i++) {
            run.step(new Step.Leave(i * 7));
        }
        run.signals.assertEmpty();
    }

    /** Applies the same steps to a hub and its model. */
    private static final class Run {
        final SignalScenario signals;
        final HubModel model;
        private final List<TestListener> people = new ArrayList<>();

        /** The memory that each registration has reserved. */
        private final Map<String, Integer> costs = new HashMap<>();

        Run(HubScript script) {
            signals = new SignalScenario(script.maxSubscriptions());
            model = new HubModel(script.maxSubscriptions());
            for (int who = 0; who < script.people(); who++) {
                people.add(signals.person(String.valueOf(who)));
            }
        }

        void step(Step step) {
            switch (step) {
                case Step.Listen(int who, Name pattern, String group) ->
                        listen(who % people.size(), new ModelTopic(pattern, group));
                case Step.ListenAll(Name pattern, String group) -> {
                    for (int who = 0; who < people.size(); who++) {
                        listen(who, new ModelTopic(pattern, group));
                    }
                }
                case Step.Unlisten(int who, Name pattern, String group) ->
                        unlisten(who % people.size(), new ModelTopic(pattern, group));
                case Step.Leave(int which) -> leave(which);
                case Step.Close(int who) -> close(who % people.size());
                case Step.Reopen(int who) -> {
                    close(who % people.size());
                    people.get(who % people.size()).reopen();
                    model.reopen(who % people.size());
                }
                case Step.Full(int who, boolean full) -> {
                    people.get(who % people.size()).setFull(full);
                    model.setFull(who % people.size(), full);
                }
                case Step.Left(int pieces) -> signals.budget.leave(pieces);
                case Step.Emit(Name channel) -> emit(channel);
            }
            check();
        }

        private void listen(int who, ModelTopic modelTopic) {
            int takenBefore = signals.budget.taken();
            int refusedBefore = signals.budget.refusals();
            ListenOutcome outcome =
                    people.get(who).listen(key(modelTopic.pattern()), modelTopic.group());
            int cost = signals.budget.taken() - takenBefore;
            boolean memoryLeft = signals.budget.refusals() == refusedBefore;
            boolean before = model.isListening(who, modelTopic);
            assertThat(outcome).isEqualTo(model.listen(who, modelTopic, memoryLeft));
            boolean joined = !before && outcome == ListenOutcome.LISTENING;
            assertThat(cost > 0).as("used memory").isEqualTo(joined);
            if (joined) {
                costs.put(who + " " + modelTopic, cost);
            }
        }

        private void unlisten(int who, ModelTopic modelTopic) {
            people.get(who).unlisten(key(modelTopic.pattern()), modelTopic.group());
            model.unlisten(who, modelTopic);
        }

        private void close(int who) {
            people.get(who).close();
            model.close(who);
        }

        private void leave(int which) {
            List<ModelTopic> spots = List.copyOf(model.members().keySet());
            if (!spots.isEmpty()) {
                ModelTopic modelTopic = spots.get(which % spots.size());
                List<Integer> members = model.members().get(modelTopic);
                unlisten(members.get(which / 7 % members.size()), modelTopic);
            }
        }

        private void emit(Name channel) {
            List<Integer> receivers =
                    signals.receivers(key(channel)).stream().map(Integer::valueOf).toList();
            Set<Integer> overrun = new HashSet<>();
            for (int who = 0; who < people.size(); who++) {
                if (people.get(who).takeOverruns() > 0) {
                    overrun.add(who);
                }
            }
            assertThat(receivers).doesNotHaveDuplicates();
            Outcome outcome = new Outcome(receivers, overrun);
            assertThat(model.allows(channel, outcome))
                    .as("%s on %s, where %s", outcome, channel, model.members())
                    .isTrue();
        }

        /** Asserts that hub and model agree, and that exactly the needed memory is reserved. */
        private void check() {
            Map<PatternAndGroup, Integer> expected = new HashMap<>();
            int taken = 0;
            for (Map.Entry<ModelTopic, List<Integer>> entry : model.members().entrySet()) {
                ModelTopic modelTopic = entry.getKey();
                expected.put(
                        new PatternAndGroup(
                                key(modelTopic.pattern()), ByteString.of(modelTopic.group())),
                        entry.getValue().size());
                for (int who : entry.getValue()) {
                    taken += costs.get(who + " " + modelTopic);
                }
            }
            Map<PatternAndGroup, Integer> seen = new HashMap<>();
            for (ChannelView view : signals.views()) {
                assertThat(
                                seen.put(
                                        new PatternAndGroup(view.pattern(), view.group()),
                                        view.listeners()))
                        .isNull();
            }
            assertThat(seen).isEqualTo(expected);
            assertThat(signals.budget.taken()).isEqualTo(taken);
        }

        private static Key key(Name name) {
            return Key.of(
                    new Namespace(name.namespace()), name.text().getBytes(StandardCharsets.UTF_8));
        }
    }
}
