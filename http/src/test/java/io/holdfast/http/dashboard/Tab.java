package io.holdfast.http.dashboard;

import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A tab of the browser, with simulated user input. */
final class Tab implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Chromium browser;
    private final String session;
    private final String context;
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();

    Tab(Chromium browser, String session, String context) {
        this.browser = browser;
        this.session = session;
        this.context = context;
    }

    String session() {
        return session;
    }

    String context() {
        return context;
    }

    void begin() {
        for (String domain : List.of("Runtime", "Log", "Page", "Network")) {
            send(domain + ".enable");
        }
        size(1280, 800);
    }

    /** Handles an event of the browser: collects requests, script errors and policy violations. */
    void receive(JsonObject message) {
        JsonObject about = message.getJsonObject("params", new JsonObject());
        switch (message.getString("method", "")) {
            case "Runtime.exceptionThrown" -> complaints.add(about.encode());
            case "Log.entryAdded" -> {
                JsonObject entry = about.getJsonObject("entry");
                if (!entry.getString("level").equals("verbose")) {
                    complaints.add(entry.encode());
                }
            }
            case "Runtime.consoleAPICalled" -> {
                if (about.getString("type").equals("error")) {
                    complaints.add(about.encode());
                }
            }
            case "Network.requestWillBeSent" ->
                    requests.add(about.getJsonObject("request").getString("url"));
            case "Page.javascriptDialogOpening" -> complaints.add("a script opened a dialog");
            default -> {}
        }
    }

    /** Script errors, policy violations and failed requests. */
    List<String> complaints() {
        return complaints;
    }

    /** The URLs that the page requested. */
    List<String> requests() {
        return requests;
    }

    JsonObject send(String method, Object... parameters) {
        JsonObject object = new JsonObject();
        for (int i = 0; i < parameters.length; i += 2) {
            object.put((String) parameters[i], parameters[i + 1]);
        }
        return browser.send(session, method, object);
    }

    void size(int width, int height) {
        send(
                "Emulation.setDeviceMetricsOverride",
                "width",
                width,
                "height",
                height,
                "deviceScaleFactor",
                1,
                "mobile",
                false);
    }

    /** Sets the colour scheme of the system: dark or light. */
    void prefer(String scheme) {
        JsonObject feature =
                new JsonObject().put("name", "prefers-color-scheme").put("value", scheme);
        send("Emulation.setEmulatedMedia", "features", new JsonArray().add(feature));
    }

    /** Disconnects the page from the server, or connects it again. */
    void offline(boolean offline) {
        send(
                "Network.emulateNetworkConditions",
                "offline",
                offline,
                "latency",
                0,
                "downloadThroughput",
                -1,
                "uploadThroughput",
                -1);
    }

    /** Adds a script that runs in each new page before its own scripts. */
    void prepare(String script) {
        send("Page.addScriptToEvaluateOnNewDocument", "source", script);
    }

    void go(String url) {
        send("Page.navigate", "url", url);
        until("document.readyState === 'complete' && document.querySelector('main > *') !== null");
    }

    void reload() {
        eval("window.isOld = true");
        send("Page.reload");
        until("window.isOld === undefined && document.querySelector('main > *') !== null");
    }

    /** Evaluates an expression; returns its value as JSON. */
    @Nullable Object eval(String expression) {
        JsonObject response =
                send(
                        "Runtime.evaluate",
                        "expression",
                        expression,
                        "returnByValue",
                        true,
                        "awaitPromise",
                        true);
        if (response.containsKey("exceptionDetails")) {
            throw new AssertionError(expression + ": " + response.encode());
        }
        return response.getJsonObject("result").getValue("value");
    }

    String text(String selector) {
        return String.valueOf(
                eval("document.querySelector(" + quoted(selector) + ")?.textContent ?? ''"));
    }

    /** The texts of all elements that match, in order. */
    List<String> texts(String selector) {
        Object found =
                eval(
                        "[...document.querySelectorAll("
                                + quoted(selector)
                                + ")].filter(e => e.checkVisibility()).map(e => e.textContent)");
        return found instanceof JsonArray array
                ? array.stream().map(String::valueOf).toList()
                : List.of();
    }

    /** Waits until the expression is true. */
    void until(String expression) {
        try {
            await().atMost(TIMEOUT)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(30))
                    .ignoreException(IllegalStateException.class)
                    .until(() -> Boolean.TRUE.equals(eval("Boolean(" + expression + ")")));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    "never true: %s\n%s\n%s"
                            .formatted(expression, complaints, eval("document.body.innerText")),
                    e);
        }
    }

    /** Waits until an element that contains this text is visible. */
    void sees(String selector, String text) {
        until(
                "[...document.querySelectorAll(%s)].some(e => e.checkVisibility() && e.textContent.includes(%s))"
                        .formatted(quoted(selector), quoted(text)));
    }

    /** Clicks the centre of the first element that matches, with mouse events. */
    void click(String selector) {
        String element = "document.querySelector(" + quoted(selector) + ")";
        until(element + "?.checkVisibility()");
        Object place =
                eval(
                        "(() => { const e = "
                                + element
                                + "; e.scrollIntoView({block: 'nearest'}); const r ="
                                + " e.getBoundingClientRect(); return [r.x + r.width / 2, r.y +"
                                + " r.height / 2]; })()");
        JsonArray at = (JsonArray) place;
        for (String type : List.of("mousePressed", "mouseReleased")) {
            send(
                    "Input.dispatchMouseEvent",
                    "type",
                    type,
                    "x",
                    at.getDouble(0),
                    "y",
                    at.getDouble(1),
                    "button",
                    "left",
                    "clickCount",
                    1);
        }
    }

    /** Types into the focused element. */
    void type(String text) {
        send("Input.insertText", "text", text);
    }

    /** Presses a key: a character, or a name such as Enter. */
    void press(String key) {
        boolean character = key.length() == 1;
        String text = character ? key : key.equals("Enter") ? "\r" : "";
        int code =
                switch (key) {
                    case "Enter" -> 13;
                    case "Escape" -> 27;
                    case "End" -> 35;
                    case "Home" -> 36;
                    case "ArrowUp" -> 38;
                    case "ArrowDown" -> 40;
                    default -> 0;
                };
        send(
                "Input.dispatchKeyEvent",
                "type",
                text.isEmpty() ? "rawKeyDown" : "keyDown",
                "key",
                key,
                "text",
                text,
                "windowsVirtualKeyCode",
                code);
        send("Input.dispatchKeyEvent", "type", "keyUp", "key", key, "windowsVirtualKeyCode", code);
    }

    byte[] screenshot() {
        JsonObject response = send("Page.captureScreenshot", "format", "png");
        return Base64.getDecoder().decode(response.getString("data"));
    }

    /** A text as a JavaScript literal. */
    static String quoted(String text) {
        return new JsonArray().add(text).encode().replaceAll("^\\[|]$", "");
    }

    @Override
    public void close() {
        browser.close(this);
    }
}
