package io.holdfast.verification.soak;

import static io.holdfast.verification.soak.ScenarioRun.assertFails;
import static io.holdfast.verification.soak.ScenarioRun.assertFailsAlone;
import static io.holdfast.verification.soak.ScenarioRun.assertPasses;
import static io.holdfast.verification.soak.ScenarioRun.assertStops;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The soak test of lists")
@Timeout(120)
class ListsScenarioIT {
    private final Scenario lists = new ListsScenario();

    /** Whether the key is that of the list that all workers use. */
    private static boolean isShared(String key) {
        return key.endsWith("_list");
    }

    private static boolean isItem(@Nullable String element, int worker, int number) {
        return new NumberedPayload(worker, number).text().equals(element);
    }

    @Test
    void the_list_scenario_passes_a_correct_server() throws Exception {
        assertPasses(lists, new CorrectServer());
    }

    @Test
    void the_list_scenario_leaves_its_lists_empty_when_a_stop_is_requested() throws Exception {
        var stop = new StopRequest();
        var rule = new CorrectServer();
        rule.except(
                request -> {
                    if (isShared(request.key())) {
                        stop.request();
                    }
                    return null;
                });
        assertStops(lists, rule, stop);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    rpush  | error_list_full | rpush .+_list_\\d: got "error_list_full", want "ok 1"
                    rpush  | ok 3            | rpush .+_list_\\d: got "ok 3", want "ok 1"
                    llen   | ok 2            | llen .+_list_\\d: got "ok 2", want "ok 3"
                    lrange | error           | lrange .+_list_\\d: got "error", want .+
                    lrange | ok []           | lrange .+_list_\\d: got "ok \\[]", want .+
                    lrange | ok [            | lrange .+_list_\\d: got "ok \\[", want .+
                    lpop   | nil             | lpop .+_list_\\d: got "nil", want "ok .+"
                    """)
    void the_list_scenario_detects_a_wrong_response(String command, String response, String reason)
            throws Exception {
        var rule =
                new CorrectServer()
                        .except(request -> request.command().equals(command) ? response : null);
        assertFails(lists, rule, reason);
    }

    @Test
    void the_list_scenario_detects_a_list_that_pops_the_last_element_first() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    @Nullable String pop(String key) {
                        return list(key).pollLast();
                    }
                };
        assertFails(
                lists,
                new CorrectServer().with(data),
                "lpop .+_list_\\d: got \"ok  2 0 .+\", want \"ok  0 0 .+\"");
    }

    @Test
    void the_list_scenario_detects_a_range_in_the_wrong_order() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    void push(String key, String element) {
                        list(key).addFirst(element);
                    }
                };
        assertFails(lists, new CorrectServer().with(data), "lrange .+_list_\\d: got .+ in order");
    }

    @Test
    void the_list_scenario_detects_an_element_that_is_popped_twice() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    @Nullable String pop(String key) {
                        var element = super.pop(key);
                        return isShared(key) && isItem(element, 1, 4)
                                ? new NumberedPayload(1, 3).text()
                                : element;
                    }
                };
        assertFails(
                lists,
                new CorrectServer().with(data),
                "soak_\\w+_list: item 3 of worker 1 came twice");
    }

    @Test
    void the_list_scenario_detects_a_lost_element() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    @Nullable String pop(String key) {
                        var element = super.pop(key);
                        return isShared(key) && isItem(element, 0, 3) ? super.pop(key) : element;
                    }
                };
        assertFailsAlone(
                lists, new CorrectServer().with(data), "lpop .+_list: got \"nil\", want .+");
    }

    @Test
    void the_list_scenario_detects_an_element_that_overtook_another() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    void push(String key, String element) {
                        int other = isItem(element, 0, 5) ? 6 : isItem(element, 0, 6) ? 5 : -1;
                        boolean swap = isShared(key) && other > 0;
                        super.push(key, swap ? new NumberedPayload(0, other).text() : element);
                    }
                };
        assertFailsAlone(
                lists,
                new CorrectServer().with(data),
                "soak_\\w+_list: item 5 of worker 0 came after item 6");
    }

    @Test
    void the_list_scenario_detects_an_element_that_was_never_pushed() throws Exception {
        var rule =
                new CorrectServer()
                        .except(
                                request ->
                                        request.command().equals("lpop") && isShared(request.key())
                                                ? "ok what"
                                                : null);
        assertFails(lists, rule, "lpop .+_list: got \"what\", which no worker sent");
    }

    @Test
    void the_list_scenario_detects_a_list_that_is_not_empty_in_the_end() throws Exception {
        var data =
                new CorrectData() {
                    @Override
                    @Nullable String pop(String key) {
                        var element = super.pop(key);
                        if (isShared(key) && isItem(element, 0, 19)) {
                            push(key, new NumberedPayload(0, 19).text());
                        }
                        return element;
                    }
                };
        assertFailsAlone(
                lists,
                new CorrectServer().with(data),
                "lpop .+_list: got \"ok  0 19 .+\", want \"nil\"");
    }
}
