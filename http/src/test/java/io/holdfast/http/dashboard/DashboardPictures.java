package io.holdfast.http.dashboard;

import static org.awaitility.Awaitility.await;

import io.holdfast.http.TestHttp;
import io.holdfast.testsupport.NeedsProgram;
import io.holdfast.testsupport.OutsideProgram;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes the screenshots of the documentation. The build does not run it: CONTRIBUTING.md has the
 * command.
 */
@DisplayName("The screenshots of the dashboard")
@NeedsProgram(OutsideProgram.CHROMIUM)
class DashboardPictures {
    private static final Duration BUSY_BEFORE_CHARTS = Duration.ofSeconds(70);
    private static final int WORKERS = 8;

    private final AtomicBoolean busy = new AtomicBoolean(true);
    private final List<DashboardClient> clients = new ArrayList<>();

    @Test
    void screenshots_are_taken() throws IOException {
        Path folder = Path.of(System.getProperty("pictures"));
        Files.createDirectories(folder);
        try (TestHttp http = TestHttp.start(config -> config.admin(true).version("0.1.0"));
                Chromium browser = Chromium.start();
                Tab tab = browser.open()) {
            clients(http);
            List<Thread> workers = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                int number = i;
                workers.add(Thread.startVirtualThread(() -> work(http, number)));
            }

            http.connections.set(clients.size() + WORKERS);

            tab.size(1180, 760);
            tab.prefer("light");
            tab.go(http.url() + "/#/charts?range=60");
            await().pollDelay(BUSY_BEFORE_CHARTS)
                    .atMost(BUSY_BEFORE_CHARTS.plusSeconds(20))
                    .until(() -> true);
            save(tab, folder.resolve("charts-light.png"));

            tab.size(1180, 640);
            tab.go(http.url() + "/#/key?key=deploy%2Fshop");
            tab.sees("table[aria-label=Queue]", "ci-runner-3");
            tab.sees("table[aria-label=Holders]", "Release");
            save(tab, folder.resolve("key-light.png"));

            tab.prefer("dark");
            tab.go(http.url() + "/#/waits");
            tab.sees(".cycle", "Deadlock");
            save(tab, folder.resolve("waits-dark.png"));

            tab.go(http.url() + "/#/keys");
            tab.sees(".row .c-key", "deploy/shop");
            save(tab, folder.resolve("keys-dark.png"));

            busy.set(false);
            clients.forEach(DashboardClient::close);
            await().until(() -> workers.stream().noneMatch(Thread::isAlive));
        }
    }

    /** Waits until the page has been drawn with the totals. */
    private static void save(Tab tab, Path file) throws IOException {
        tab.until("document.querySelector('.tile b').textContent !== '\u2013'");
        tab.sees("#status", "live");
        tab.sees("#cycles", "1 deadlock");
        tab.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        Files.write(file, tab.screenshot());
    }

    private DashboardClient connect(TestHttp http, String protocol, String name) {
        DashboardClient dashboardClient = new DashboardClient(http.driver, protocol, name);
        clients.add(dashboardClient);
        return dashboardClient;
    }

    private void clients(TestHttp http) {
        Duration hour = Duration.ofHours(1);
        connect(http, "dflockd", "ci-runner-1:50412").lock("deploy/shop", Duration.ofMinutes(5));
        connect(http, "dflockd", "ci-runner-2:50977").lock("deploy/shop", Duration.ofMinutes(5));
        connect(http, "http", "ci-runner-3:41830").lock("deploy/shop", Duration.ofMinutes(5));
        connect(http, "dflockd", "laptop-anna:61022").lock("deploy/shop", Duration.ofMinutes(5));
        DashboardClient billing = connect(http, "dflockd", "billing-1:53310").lock("orders", hour);
        DashboardClient report = connect(http, "lockd", "report-2:38114").lock("invoices", hour);
        billing.lock("invoices", hour);
        report.lock("orders", hour);
        connect(http, "dflockd", "export-1:47720").lock("orders", hour);
        connect(http, "lockd", "web-1:39004").share("config/read").lock("cache/warm");
        connect(http, "lockd", "web-2:39177").share("config/read");
        DashboardClient night = connect(http, "http", "night-1:44100");
        night.lock("backup/eu", hour)
                .lock("backup/us", hour)
                .lock("nightly report", Duration.ofMinutes(2));
        for (int i = 1; i <= 4; i++) {
            connect(http, "dflockd", "mailer-%d:5218%d".formatted(i, i))
                    .slot("smtp", 3, Duration.ofMinutes(5));
        }
        connect(http, "dflockd", "migrate-1:55871").lock("schema:orders", Duration.ofMinutes(20));
        connect(http, "dflockd", "search-1:40221").lock("reindex", Duration.ofMinutes(45));
        connect(http, "socketlock", "pid 40711").lock("/run/app.sock", hour);
    }

    /** Acquires contended locks and releases them. */
    private void work(TestHttp http, int number) {
        Random random = new Random(number);
        while (busy.get()) {
            String key = "job/" + random.nextInt(2);
            try (DashboardClient worker =
                    new DashboardClient(
                            http.driver, "dflockd", "worker-" + number + ":6" + (1000 + number))) {
                boolean inTime = random.nextInt(40) > 0;
                if (inTime) {
                    worker.lock(key, Duration.ofSeconds(10));
                } else {
                    worker.lockWithin(key, Duration.ofMillis(8));
                }
                if (worker.isAnswered()) {
                    LockSupport.parkNanos(Duration.ofMillis(5 + random.nextInt(40)).toNanos());
                }
            }
            LockSupport.parkNanos(Duration.ofMillis(60 + random.nextInt(100)).toNanos());
        }
    }
}
