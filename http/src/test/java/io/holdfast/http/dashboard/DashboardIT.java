package io.holdfast.http.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.driver.Secret;
import io.holdfast.engine.Command;
import io.holdfast.http.HttpConfig;
import io.holdfast.http.TestHttp;
import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;
import io.vertx.core.json.JsonObject;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

@DisplayName("The dashboard, in a browser")
@Timeout(120)
@NeedsProgram(OutsideProgram.CHROMIUM)
@Execution(ExecutionMode.CONCURRENT)
class DashboardIT {
    private static final Duration HALF_A_MINUTE = Duration.ofSeconds(30);

    /** A lease that does not expire during a test. */
    private static final Duration LONG = Duration.ofHours(1);

    private static Chromium browser;

    private final List<DashboardClient> clients = new ArrayList<>();
    private TestHttp http;
    private Tab tab;

    @BeforeAll
    static void startBrowser() throws IOException {
        browser = Chromium.start();
    }

    @AfterAll
    static void stopBrowser() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    @AfterEach
    void stop() {
        if (tab != null) {
            tab.close();
        }
        clients.forEach(DashboardClient::close);
        if (http != null) {
            http.close();
        }
    }

    private void serve(UnaryOperator<HttpConfig.Builder> change) {
        http = TestHttp.start(change);
        tab = browser.open();
    }

    private void serve() {
        serve(config -> config.admin(true));
    }

    private void show(String view) {
        tab.go(http.url() + "/#/" + view);
    }

    private DashboardClient connect(String name) {
        DashboardClient dashboardClient = new DashboardClient(http.driver, "dflockd", name);
        clients.add(dashboardClient);
        return dashboardClient;
    }

    /**
     * Checks that no script failed, no content security policy was violated, and no other server
     * was contacted.
     */
    private void assertClean() {
        assertThat(tab.complaints()).isEmpty();
        assertThat(tab.requests())
                .filteredOn(url -> !url.startsWith("data:"))
                .allMatch(url -> url.startsWith(http.url() + "/"));
    }

    private List<String> keys() {
        return tab.texts(".grid .row .c-key");
    }

    @Test
    void keys_appear_when_they_are_acquired_and_disappear_when_they_are_released() {
        serve();
        show("keys");
        tab.sees(".empty", "No key is held");
        tab.sees("#status", "live");

        DashboardClient alice = connect("alice");
        alice.lock("deploy", LONG);
        tab.sees(".row .c-key", "deploy");
        tab.sees(".row .c-holder", "#" + alice.number() + " alice dflockd");
        tab.sees(".row .c-kind", "lock");
        connect("bob").lock("deploy", LONG);
        tab.sees(".row .c-waiters", "1");
        tab.press("r");
        tab.sees(".tile", "Waiting1");
        assertThat(tab.eval("document.title").toString()).contains("Holdfast");

        alice.close();
        tab.sees(".row .c-holder", "bob");
        clients.forEach(DashboardClient::close);
        tab.sees(".empty", "No key is held");
        assertClean();
    }

    @Test
    void the_countdown_of_a_lease_runs() {
        serve();
        connect("alice").lock("deploy", HALF_A_MINUTE);
        show("keys");
        tab.until("parseFloat(document.querySelector('.row .left')?.textContent) > 0");
        Object first = tab.eval("parseFloat(document.querySelector('.row .left').textContent)");
        assertThat(((Number) first).doubleValue()).isBetween(0.0, 30.0);

        tab.until("parseFloat(document.querySelector('.row .left').textContent) < " + first);
        tab.until(
                "/scaleX\\(0\\.\\d+\\)/.test(document.querySelector('.row .lease"
                        + " i').style.transform)");
        assertClean();
    }

    @Test
    void the_countdown_of_a_lease_seen_from_its_grant_does_not_jump() {
        serve();
        show("keys");
        tab.sees("#status", "live");
        tab.eval(
                "window.seen = []; setInterval(() => { const left ="
                        + " parseFloat(document.querySelector('.row .left')?.textContent);"
                        + " if (left >= 0 && left !== seen.at(-1)) seen.push(left); }, 10)");
        connect("alice").lock("deploy", HALF_A_MINUTE);
        tab.until("seen.length > 3");
        connect("bob").lock("deploy", HALF_A_MINUTE).share("zoo");
        tab.sees(".count", "2 keys");
        tab.until("seen.length > 12");

        assertThat(tab.eval("seen.every((left, i) => i === 0 || left < seen[i - 1])"))
                .isEqualTo(true);
        assertThat(tab.eval("seen[0] <= 30")).isEqualTo(true);
        assertClean();
    }

    @Test
    void a_key_shows_its_queue_in_order_and_its_history() {
        serve();
        connect("alice").lock("deploy", LONG);
        for (String name : List.of("bob", "carol", "dave")) {
            connect(name).lock("deploy", LONG);
        }
        show("keys");
        tab.sees(".row .c-key", "deploy");
        tab.click(".row .c-held");

        tab.sees("h1", "deploy");
        assertThat(tab.texts("table[aria-label=Holders] td:first-child .name"))
                .containsExactly("alice");
        assertThat(tab.texts("table[aria-label=Queue] td:nth-child(1)"))
                .containsExactly("1", "2", "3");
        assertThat(tab.texts("table[aria-label=Queue] td:nth-child(2) .name"))
                .containsExactly("bob", "carol", "dave");
        tab.sees("table[aria-label=History]", "acquired");
        clients.get(1).close();
        tab.until("document.querySelectorAll('table[aria-label=Queue] tbody tr').length === 2");
        assertThat(tab.texts("table[aria-label=Queue] td:nth-child(2) .name"))
                .containsExactly("carol", "dave");
        assertClean();
    }

    @Test
    void a_click_releases_a_key_after_a_confirmation_and_the_next_waiter_is_granted_it()
            throws Exception {
        serve();
        connect("alice").lock("deploy", LONG);
        connect("bob").lock("deploy", LONG);
        show("key?key=deploy");
        tab.click("table[aria-label=Holders] button.danger");
        tab.sees("dialog", "alice");
        tab.click("dialog .plain");
        tab.until("document.querySelector('dialog') === null");
        assertThat(tab.text("table[aria-label=Holders] .name")).isEqualTo("alice");

        tab.click("table[aria-label=Holders] button.danger");
        tab.click("dialog input");
        tab.type("stuck since noon");
        tab.click("dialog button.danger");

        tab.sees(".toast", "Released 1 hold on deploy");
        tab.sees("table[aria-label=Holders] .name", "bob");
        tab.sees("table[aria-label=History]", "lost");
        JsonObject audit =
                TestHttp.json(http.get("/v1/admin/audit")).getJsonArray("audit").getJsonObject(0);
        assertThat(audit.getString("reason")).isEqualTo("stuck since noon");
        http.client()
                .send(
                        http.request("POST", "/v1/admin/keys/deploy/release", "{}"),
                        HttpResponse.BodyHandlers.discarding());
        tab.sees(
                ".toast",
                "deploy was released by force"); // by another client, after the action of this page
        assertThat(tab.texts(".toast")).hasSize(2);
        assertClean();
    }

    @Test
    void a_click_kicks_a_connection_after_a_confirmation() {
        serve();
        DashboardClient alice = connect("alice").lock("deploy").share("config");
        show("connections");
        tab.sees(".row .c-name", "alice");
        tab.click(".row .c-name");
        tab.sees("h1", "alice");
        tab.sees("table[aria-label=Holds]", "deploy");
        tab.sees("table[aria-label=Holds]", "config");

        tab.click("h2 button.danger");
        tab.sees("dialog", "holds 2 keys");
        tab.click("dialog button.danger");

        tab.sees(".empty", "has ended");
        assertThat(http.driver.session(alice.number())).isNull();
        assertThat(TestHttp.json(http.get("/v1/keys")).getInteger("total")).isZero();
        assertThat(tab.complaints()).allMatch(complaint -> complaint.contains("404"));
    }

    @Test
    void the_token_for_a_server_with_a_secret_stays_out_of_the_URL() {
        serve(config -> config.secret(new Secret("s3cret".getBytes(UTF_8))));
        connect("alice").lock("deploy", LONG);
        show("keys");
        tab.sees("dialog#signin", "requires a token");
        assertThat(keys()).isEmpty();

        tab.type("guess");
        tab.press("Enter");
        tab.sees("dialog#signin", "refused");
        tab.type("s3cret");
        tab.press("Enter");

        tab.sees(".row .c-key", "deploy");
        tab.sees("#role", "admin");
        tab.sees("#status", "live");
        assertThat(tab.requests()).noneMatch(url -> url.contains("s3cret"));
        assertThat(tab.eval("location.href + document.cookie").toString()).doesNotContain("s3cret");
        tab.reload();
        tab.sees(".row .c-key", "deploy");

        tab.click("#role");
        tab.sees("dialog", "Sign out?");
        tab.press("Escape");
        tab.until("document.querySelector('dialog') === null");
        tab.sees(".row .c-key", "deploy");
        tab.click("#role");
        tab.click("dialog button.danger");
        tab.sees("dialog#signin", "requires a token");
        assertThat(tab.complaints()).allMatch(complaint -> complaint.contains("401"));
    }

    @Test
    void a_read_only_token_shows_everything_and_offers_no_actions() {
        serve(
                config ->
                        config.secret(new Secret("s3cret".getBytes(UTF_8)))
                                .readToken(new Secret("looker".getBytes(UTF_8))));
        connect("alice").lock("deploy", LONG);
        show("key?key=deploy");
        tab.sees("dialog#signin", "requires a token");
        tab.type("looker");
        tab.press("Enter");

        tab.sees("#role", "read only");
        tab.sees("table[aria-label=Holders]", "alice");
        assertThat(tab.texts("main button")).isEmpty();
    }

    @Test
    void the_role_signs_out_only_after_a_confirmation() {
        serve(
                config ->
                        config.secret(new Secret("s3cret".getBytes(UTF_8)))
                                .readToken(new Secret("looker".getBytes(UTF_8))));
        show("keys");
        tab.sees("dialog#signin", "requires a token");
        tab.type("looker");
        tab.press("Enter");
        tab.sees("#role", "read only");

        tab.click("#role");
        tab.sees("dialog", "Sign out?");
        tab.click("dialog .plain");
        tab.until("document.querySelector('dialog') === null");
        show("connections");
        tab.sees("#role", "read only");

        tab.click("#role");
        tab.click("dialog button.danger");
        tab.sees("dialog#signin", "requires a token");
    }

    @Test
    void ten_thousand_keys_are_searched_and_sorted_while_few_rows_exist() {
        serve();
        DashboardClient alice = connect("alice");
        for (int i = 0; i < 10_000; i++) {
            alice.lock("job/%05d".formatted(i), Duration.ofMinutes(10));
        }
        show("keys");
        tab.sees(".count", "10,000 keys");
        String rows = "document.querySelectorAll('.grid .row').length";
        assertThat((Integer) tab.eval(rows)).isBetween(10, 60);

        tab.click(".head .c-key button");
        tab.until("document.querySelector('.row .c-key').textContent === 'job/00000'");
        tab.click(".head .c-key button");
        tab.until("document.querySelector('.row .c-key').textContent === 'job/09999'");
        tab.press("j");
        tab.press("End");
        tab.sees(".row[aria-selected=true]", "job/00000");
        assertThat((Integer) tab.eval(rows)).isBetween(10, 60);

        tab.press("/");
        tab.type("b/0042");
        tab.until("document.querySelector('.count').textContent === '10 of 10,000 keys'");
        tab.press("Enter");
        tab.press("Enter");
        tab.sees("h1", "job/00429");
        tab.press("Escape");
        tab.until("document.querySelector('.count')?.textContent === '10 of 10,000 keys'");
        assertClean();
    }

    @Test
    void lists_longer_than_the_page_loads_are_searched_by_the_server_each_time() {
        serve();
        tab.prepare(
                """
                const realFetch = window.fetch;
                window.fetch = async (url, init) => {
                    const response = await realFetch(url, init);
                    if (!/^\\/v1\\/(keys|connections)\\?/.test(url) || url.includes('&q=')) {
                        return response;
                    }
                    const json = await response.json();
                    return Response.json({...json, total: json.total + 30_000});
                };
                """);
        connect("alice").lock("apple").lock("banana");
        show("keys?q=app");
        tab.until("document.querySelector('.count')?.textContent === '1 of 30,002 keys'");
        tab.until("document.querySelector('.search').placeholder.startsWith('Search keys  ')");
        tab.until("performance.getEntriesByType('resource').some(e => e.name.includes('&q=app'))");
        int before = tab.requests().size();
        for (int i = 0; i < 3; i++) {
            long earlier = requestsWith("/v1/keys?");
            connect("bob").lock("pear" + i);
            await().until(() -> requestsWith("/v1/keys?") > earlier);
        }
        assertThat(tab.requests().subList(before, tab.requests().size()))
                .filteredOn(url -> url.contains("/v1/keys?") && !url.contains("limit=0"))
                .isNotEmpty()
                .allMatch(url -> url.contains("&q=app"));
        assertThat(keys()).containsExactly("apple");

        show("connections?q=alice");
        tab.until(
                "/^1 of 30,00\\d connections$/.test(document.querySelector('.count').textContent)");
        await().until(() -> requestsWith("/v1/connections?limit=20000&q=alice") > 0);
        assertClean();
    }

    private long requestsWith(String part) {
        return tab.requests().stream().filter(url -> url.contains(part)).count();
    }

    @Test
    void a_URL_without_a_known_view_shows_the_keys() {
        serve();
        show("constructor");
        tab.sees("nav a[aria-current]", "Keys");
        show("connections?sort=constructor");
        tab.sees("nav a[aria-current]", "Connections");
        show("keys?sort=constructor&kind=toString&state=x");
        tab.sees(".empty", "No key is held");
        assertClean();
    }

    @Test
    void a_key_is_shown_as_plain_text_whatever_its_name() {
        serve();
        DashboardClient alice = connect("<script>window.hit = 1</script>");
        String image = "<img src=x onerror=\"window.hit = 1\">";
        String turned = "invoice\u202egnp.exe";
        String arabic = "\u0645\u0641\u062a\u0627\u062d";
        String slashes = "a/../b?c=d&e#f%00 \n\t\"'";
        for (String key : List.of(image, turned, arabic, slashes, "", ".", "x".repeat(3000))) {
            alice.lock(key, LONG);
        }
        alice.lock(new byte[] {(byte) 0xff, (byte) 0xfe, '/'}, Command.FOREVER);
        show("keys");
        tab.sees(".count", "8 keys");
        assertThat(keys())
                .contains(image, arabic, "(empty)", ".", "invoice\u27e8202E\u27e9gnp.exe")
                .anyMatch(key -> key.startsWith("%FF%FE"));

        for (int i = 0; i < 8; i++) {
            show("keys");
            tab.sees(".count", "8 keys");
            String shown =
                    (String)
                            tab.eval(
                                    "document.querySelectorAll('.row .c-key')["
                                            + i
                                            + "].textContent");
            tab.eval("document.querySelectorAll('.row .c-key a')[" + i + "].click()");
            tab.sees("table[aria-label=Holders]", "window.hit");
            String title = tab.text("h1");
            assertThat(title).isIn(shown, "\ufffd\ufffd/");
        }
        assertThat(
                        tab.eval(
                                "window.hit === undefined && document.querySelector('main img, main"
                                        + " script') === null"))
                .isEqualTo(true);
        assertThat(tab.eval("document.documentElement.scrollWidth <= innerWidth")).isEqualTo(true);
        assertClean();
    }

    @Test
    void clients_that_wait_for_each_other_are_shown_as_a_deadlock() {
        serve();
        DashboardClient alice = connect("alice").lock("orders");
        DashboardClient bob = connect("bob").lock("invoices");
        show("waits");
        tab.sees(".empty", "No waiters");
        alice.lock("invoices");
        bob.lock("orders");
        connect("carol").lock("orders");
        tab.press("r");

        tab.sees(".cycle h2", "Deadlock: 2 connections wait for each other");
        assertThat(tab.text(".cycle .ring")).contains("alice", "bob", "orders", "invoices");
        tab.sees(".tree .wait", "carol");
        tab.sees("#cycles", "1 deadlock");
        tab.until("document.title.includes('1 deadlock')");

        alice.close();
        tab.press("r");
        tab.until("document.querySelector('.cycle') === null");
        tab.until("!document.title.includes('deadlock')");
        assertClean();
    }

    @Test
    void a_cycle_with_a_concurrent_client_is_a_possible_deadlock() {
        serve();
        tab.prepare(
                """
                const realFetch = window.fetch;
                window.fetch = async (url, init) => {
                    const response = await realFetch(url, init);
                    if (url !== '/v1/waits') {
                        return response;
                    }
                    const json = await response.json();
                    json.cycles.forEach(cycle => cycle[0].concurrent = true);
                    return Response.json(json);
                };
                """);
        DashboardClient alice = connect("alice").lock("orders");
        connect("bob").lock("invoices").lock("orders");
        alice.lock("invoices");
        show("waits");

        tab.sees(".cycle h2", "Possible deadlock: 2 connections wait for each other");
        tab.sees("#cycles", "1 possible deadlock");
        assertClean();
    }

    @Test
    void keys_of_a_deadlock_are_marked_in_the_list_of_keys() {
        serve();
        DashboardClient alice = connect("alice").lock("orders");
        DashboardClient bob = connect("bob").lock("invoices").lock("orders");
        connect("carol").lock("stock").lock("orders");
        show("keys");
        tab.sees(".count", "3 keys");
        tab.sees("#status", "live");
        assertThat(tab.texts(".row .deadlock")).isEmpty();
        alice.lock("invoices");

        tab.sees(".row.deadlocked .c-key", "orders");
        tab.sees(".row.deadlocked .c-key", "invoices");
        assertThat(tab.texts(".row .deadlock")).containsExactly("deadlock", "deadlock");
        tab.sees("#cycles", "1 deadlock");
        tab.sees(".tile b.bad", "1 deadlock");
        tab.until("/Longest wait[0-9.]+ s/.test(document.querySelector('#strip').textContent)");
        show("key?key=orders");
        tab.sees("p.deadlocked", "part of a deadlock");
        show("key?key=stock");
        tab.sees("h1", "stock");
        assertThat(tab.texts("p.deadlocked")).isEmpty();

        bob.close();
        show("keys");
        tab.until("document.querySelector('#cycles').hidden");
        tab.until("document.querySelector('.row .c-key') !== null");
        tab.until("document.querySelector('.row.deadlocked') === null");
        assertClean();
    }

    @Test
    void connections_of_all_protocols_are_counted() {
        serve();
        for (String protocol : List.of("dflockd", "lockd", "socketlock", "http")) {
            clients.add(new DashboardClient(http.driver, protocol, "client"));
        }
        show("connections");
        tab.sees(".count", "4 connections");
        tab.press("r");
        tab.sees(".tile", "Connections4");
        assertClean();
    }

    @Test
    void colours_follow_the_system_until_they_are_chosen() {
        serve();
        tab.prefer("dark");
        show("keys");
        String ground = "getComputedStyle(document.body).backgroundColor";
        String dark = "rgb(14, 18, 22)";
        String light = "rgb(244, 246, 247)";
        assertThat(tab.eval(ground)).isEqualTo(dark);
        tab.prefer("light");
        assertThat(tab.eval(ground)).isEqualTo(light);

        tab.press("t");
        assertThat(tab.eval(ground)).isEqualTo(dark);
        tab.reload();
        tab.sees("#status", "live");
        assertThat(tab.eval(ground)).isEqualTo(dark);
        tab.prefer("dark");
        tab.click("#theme");
        assertThat(tab.eval(ground)).isEqualTo(light);
        assertClean();
    }

    @Test
    void the_dashboard_can_be_used_with_the_keyboard_alone() {
        serve();
        DashboardClient alice = connect("alice");
        for (String key : List.of("apple", "banana", "cherry")) {
            alice.lock(key, LONG);
        }
        show("keys");
        tab.sees(".count", "3 keys");
        tab.press("j");
        tab.press("j");
        tab.sees(".row[aria-selected=true]", "banana");
        tab.press("ArrowUp");
        tab.press("Enter");
        tab.sees("h1", "apple");
        tab.press("Escape");
        tab.sees(".count", "3 keys");
        tab.press("/");
        tab.type("cher");
        tab.sees(".count", "1 of 3 keys");
        tab.press("Escape");
        tab.sees(".count", "3 keys");
        tab.press("?");
        tab.sees("dialog", "Keyboard");
        assertThat(tab.texts("dialog dt kbd"))
                .contains("/", "j", "k", "Page Up", "Enter", "Esc", "5", "?");
        assertThat(tab.texts("dialog dd")).contains("search", "open the row", "this help");
        assertThat(tab.text("dialog")).doesNotContain("[object");
        tab.press("Escape");
        tab.until("document.querySelector('dialog') === null");
        for (String view : List.of("Connections", "Waits", "Signals", "Charts", "Keys")) {
            tab.press(
                    String.valueOf(
                            List.of("Keys", "Connections", "Waits", "Signals", "Charts")
                                            .indexOf(view)
                                    + 1));
            tab.sees("nav a[aria-current]", view);
        }
        assertClean();
    }

    @Test
    void charts_are_drawn() {
        serve();
        connect("alice").lock("deploy", LONG);
        show("charts");
        tab.until("document.querySelectorAll('.chart .line').length === 11");
        tab.until("document.querySelector('.chart .line').getAttribute('d').startsWith('M')");
        tab.sees(".tile", "Held1");
        assertClean();
    }

    @Test
    void all_views_fit_on_a_phone() {
        serve();
        tab.size(375, 700);
        DashboardClient alice =
                connect("alice-with-a-rather-long-name.example:50123")
                        .lock("deploy/" + "x".repeat(80));
        connect("bob").lock("deploy/" + "x".repeat(80));
        String fits =
                "document.documentElement.scrollWidth <= 375 &&"
                        + " document.querySelector('main').scrollWidth <= 375";
        for (String view :
                List.of(
                        "keys",
                        "key?key=deploy%2F" + "x".repeat(80),
                        "connections",
                        "connection?number=" + alice.number(),
                        "waits",
                        "signals",
                        "charts")) {
            show(view);
            tab.sees("main", "");
            tab.until("!document.querySelector('main').textContent.includes('Loading')");
            assertThat(tab.eval(fits)).as(view).isEqualTo(true);
        }
        assertClean();
    }

    @Test
    void an_unresponsive_server_is_reported_and_its_clocks_stop() {
        serve();
        connect("alice").lock("deploy", LONG);
        show("keys");
        tab.sees(".row .c-key", "deploy");
        tab.sees("#status", "live");
        tab.offline(true);

        tab.sees("#status", "reconnecting");
        tab.sees("#stale", "does not respond");
        tab.until("document.title.startsWith('\u26a0')");
        assertThat(keys()).containsExactly("deploy");
        String left = "document.querySelector('.row .left').textContent";
        String frozen = String.valueOf(tab.eval(left));
        String stale = tab.text("#stale");
        tab.until("document.querySelector('#stale').textContent !== " + Tab.quoted(stale));
        assertThat(tab.eval(left)).isEqualTo(frozen);

        tab.offline(false);
        tab.until("document.querySelector('#stale').hidden");
        tab.until(left + " !== " + Tab.quoted(frozen));
    }

    @Test
    void a_view_whose_own_request_fails_is_stale_whatever_else_succeeds() {
        serve();
        tab.prepare(
                """
                const realFetch = window.fetch;
                window.fetch = (url, init) => window.broken && url.startsWith('/v1/keys')
                    ? Promise.resolve(Response.json({error: 'internal'}, {status: 500}))
                    : realFetch(url, init);
                """);
        connect("alice").lock("deploy", LONG);
        show("keys");
        tab.sees(".row .c-key", "deploy");
        tab.sees("#status", "live");
        tab.eval("window.broken = true");
        tab.press("r");

        tab.sees("#stale", "responds with an error (500)");
        tab.sees("#status", "failing");
        String left = "document.querySelector('.row .left').textContent";
        String frozen = String.valueOf(tab.eval(left));
        connect("bob").share("zoo");
        tab.press("r");
        tab.sees(".tile", "Held2");
        assertThat(tab.eval("document.querySelector('#stale').hidden")).isEqualTo(false);
        assertThat(tab.eval(left)).isEqualTo(frozen);
        show("connections");
        tab.until("document.querySelector('#stale').hidden");
        tab.sees("#status", "live");

        tab.eval("window.broken = false");
        show("keys");
        tab.sees(".count", "2 keys");
        tab.until("document.querySelector('#stale').hidden");
        assertClean();
    }

    @Test
    void an_event_stream_without_pings_is_reopened() {
        serve();
        show("keys");
        tab.sees("#status", "live");
        assertThat(requestsWith("/v1/events")).isEqualTo(1);
        tab.eval("{ const time = Date.now; Date.now = () => time() + 60_000; }");

        await().until(() -> requestsWith("/v1/events") == 2);
        connect("alice").lock("deploy", LONG);
        tab.sees(".row .c-key", "deploy");
        tab.sees("#status", "live");
        assertClean();
    }

    @Test
    void listeners_of_signals_are_listed() {
        serve();
        HttpRequest listen = http.request("GET", "/v1/signals?pattern=jobs.*&group=workers", null);
        CompletableFuture<HttpResponse<InputStream>> stream =
                http.client().sendAsync(listen, HttpResponse.BodyHandlers.ofInputStream());
        show("signals");
        tab.sees(".row .c-pattern", "jobs.*");
        tab.sees(".row .c-group", "workers");
        assertThat(tab.texts(".row .c-listeners")).containsExactly("1");
        stream.cancel(true);
        assertClean();
    }
}
