package dev.ebb.cli.studio;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** A headless browser with one page, driven by the DevTools protocol. */
public final class Browser implements AutoCloseable, WebSocket.Listener {
    private static final long PATIENCE_SECONDS = 180;

    /** The roles of elements that must have a name: those that can be operated, and images. */
    private static final Set<String> NAMED_ROLES =
            Set.of(
                    "button",
                    "checkbox",
                    "combobox",
                    "grid",
                    "image",
                    "link",
                    "region",
                    "searchbox",
                    "slider",
                    "spinbutton",
                    "tab",
                    "tabpanel",
                    "textbox");

    private final Process process;
    private final HttpClient http = HttpClient.newHttpClient();
    private final WebSocket socket;
    private final StringBuilder partial = new StringBuilder();
    private final AtomicLong ids = new AtomicLong();
    private final Map<Long, CompletableFuture<Json>> answers = new ConcurrentHashMap<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();

    /** The browser's program, if one is installed. */
    public static Optional<String> find() {
        var folders =
                Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator, -1);
        return List.of("chromium", "chromium-browser", "google-chrome").stream()
                .flatMap(name -> Arrays.stream(folders).map(f -> Path.of(f, name)))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }

    /**
     * Starts the browser.
     *
     * @param profile the folder of its profile
     */
    public Browser(String program, Path profile) throws Exception {
        process =
                new ProcessBuilder(
                                program,
                                "--headless=new",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--no-first-run",
                                "--hide-scrollbars",
                                "--remote-debugging-port=0",
                                "--user-data-dir=" + profile,
                                "about:blank")
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        int port = port();
        var made =
                http.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                "http://127.0.0.1:"
                                                        + port
                                                        + "/json/new?about:blank"))
                                .PUT(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        var address = Json.parse(made.body()).at("webSocketDebuggerUrl").flatMap(Json::text);
        socket =
                http.newWebSocketBuilder()
                        .buildAsync(URI.create(address.orElseThrow()), this)
                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        for (var domain : List.of("Page", "Runtime", "Log")) send(domain + ".enable", Map.of());
    }

    private int port() throws IOException {
        var lines =
                new BufferedReader(
                        new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            int at = line.indexOf("DevTools listening on ws://127.0.0.1:");
            if (at < 0) continue;
            Thread.ofVirtual().start(() -> drain(lines));
            return URI.create(line.substring(line.indexOf("ws://"))).getPort();
        }
        throw new IOException("the browser did not start");
    }

    /** Reads the output, so that the pipe does not fill up. */
    private static void drain(BufferedReader lines) {
        try {
            while (lines.readLine() != null) {
                // the output is not needed
            }
        } catch (IOException _) {
            // the browser has ended
        }
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            var text = partial.toString();
            partial.setLength(0);
            try {
                take(Json.parse(text));
            } catch (FileFormatException e) {
                errors.add("a message that is no JSON: " + e.getMessage());
            }
        }
        from.request(1);
        return CompletableFuture.completedFuture(null);
    }

    private void take(Json message) {
        message.at("id")
                .flatMap(Json::whole)
                .map(answers::remove)
                .ifPresent(future -> future.complete(message));
        var method = message.at("method").flatMap(Json::text).orElse("");
        boolean complaint =
                method.equals("Runtime.exceptionThrown")
                        || (method.equals("Log.entryAdded") && message.toString().contains("error"))
                        || (method.equals("Runtime.consoleAPICalled")
                                && message.toString().contains("\"type\":\"error\""));
        if (complaint) errors.add(message.toString());
    }

    /** The errors in the page's console. */
    public List<String> errors() {
        return List.copyOf(errors);
    }

    Json send(String method, Map<String, Json> params)
            throws InterruptedException, java.util.concurrent.ExecutionException, TimeoutException {
        long id = ids.incrementAndGet();
        var future = new CompletableFuture<Json>();
        answers.put(id, future);
        var message =
                Json.of(
                        Map.of(
                                "id", Json.of(id),
                                "method", Json.of(method),
                                "params", Json.of(params)));
        socket.sendText(message.toString(), true);
        var answer = future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (answer.at("error").isPresent()) throw new AssertionError(method + ": " + answer);
        return answer.at("result").orElseThrow();
    }

    public void open(URI address) throws Exception {
        send("Page.navigate", Map.of("url", Json.of(address.toString())));
        await("document.documentElement?.dataset.ready === 'true'");
    }

    /** The value of an expression in the page. */
    public Json eval(String expression) throws Exception {
        var result =
                send(
                        "Runtime.evaluate",
                        Map.of(
                                "expression", Json.of(expression),
                                "returnByValue", Json.of(true),
                                "awaitPromise", Json.of(true)));
        if (result.at("exceptionDetails").isPresent())
            throw new AssertionError(expression + ": " + result);
        return result.at("result").flatMap(r -> r.at("value")).orElse(new Json.Nothing());
    }

    public String text(String expression) throws Exception {
        return eval(expression).text().orElseThrow(() -> new AssertionError(expression));
    }

    public double number(String expression) throws Exception {
        return eval(expression).number().orElseThrow(() -> new AssertionError(expression));
    }

    /** The cumulative layout shift since the page was opened. */
    public double layoutShift() throws Exception {
        return number(
                """
                new Promise(done => {
                  let sum = 0;
                  const add = entries => { for (const e of entries) if (!e.hadRecentInput) sum += e.value; };
                  const observer = new PerformanceObserver(list => add(list.getEntries()));
                  observer.observe({ type: "layout-shift", buffered: true });
                  setTimeout(() => { add(observer.takeRecords()); done(sum); }, 200);
                })
                """);
    }

    /** The upper left corners of all elements that a selector names, in whole pixels. */
    public List<Json> corners(String selector) throws Exception {
        return eval("[...document.querySelectorAll('"
                        + selector
                        + "')].map(e => e.getBoundingClientRect())"
                        + ".map(r => [Math.round(r.left), Math.round(r.top)])")
                .elements();
    }

    /** Waits until an expression is true. */
    public void await(String expression) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!eval("!!(" + expression + ")").truth().orElse(false)) {
            if (System.nanoTime() > end)
                throw new AssertionError("not within " + PATIENCE_SECONDS + " s: " + expression);
            Thread.sleep(20);
        }
    }

    public void mouse(String type, double x, double y) throws Exception {
        send(
                "Input.dispatchMouseEvent",
                Map.of(
                        "type", Json.of(type),
                        "x", Json.of(x),
                        "y", Json.of(y),
                        "button", Json.of(type.equals("mouseMoved") ? "none" : "left"),
                        "buttons", Json.of(type.equals("mouseReleased") ? 0 : 1),
                        "clickCount", Json.of(1)));
    }

    public void click(double x, double y) throws Exception {
        mouse("mousePressed", x, y);
        mouse("mouseReleased", x, y);
    }

    public void key(String key) throws Exception {
        for (var type : List.of("keyDown", "keyUp"))
            send(
                    "Input.dispatchKeyEvent",
                    Map.of(
                            "type", Json.of(type),
                            "key", Json.of(key),
                            "windowsVirtualKeyCode", Json.of(key.equals("Tab") ? 9 : 0)));
    }

    /** An element that a screen reader finds in the page. */
    public record Heard(String role, String name) {}

    /** All elements that a screen reader finds, in the order of the page. */
    public List<Heard> heard() throws Exception {
        send("Accessibility.enable", Map.of());
        var all = new ArrayList<Heard>();
        for (var node :
                send("Accessibility.getFullAXTree", Map.of())
                        .at("nodes")
                        .orElseThrow()
                        .elements()) {
            boolean ignored = node.at("ignored").flatMap(Json::truth).orElse(false);
            if (!ignored) all.add(new Heard(value(node, "role"), value(node, "name")));
        }
        return all;
    }

    private static String value(Json node, String member) {
        return node.at(member).flatMap(m -> m.at("value")).flatMap(Json::text).orElse("");
    }

    /** The roles of elements that a screen reader can operate but that have no name. */
    public List<String> unnamed() throws Exception {
        return heard().stream()
                .filter(h -> NAMED_ROLES.contains(h.role) && h.name.isBlank())
                .map(Heard::role)
                .toList();
    }

    public void look(int width, int height, boolean dark) throws Exception {
        send(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width", Json.of(width),
                        "height", Json.of(height),
                        "deviceScaleFactor", Json.of(1),
                        "mobile", Json.of(width < 600)));
        send(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        Json.of(
                                List.of(
                                        Json.of(
                                                Map.of(
                                                        "name", Json.of("prefers-color-scheme"),
                                                        "value",
                                                                Json.of(
                                                                        dark
                                                                                ? "dark"
                                                                                : "light")))))));
    }

    /** A screenshot of the whole page, or of its visible part. */
    public byte[] picture(boolean whole) throws Exception {
        var shot =
                send(
                        "Page.captureScreenshot",
                        Map.of("format", Json.of("png"), "captureBeyondViewport", Json.of(whole)));
        return Base64.getDecoder().decode(shot.at("data").flatMap(Json::text).orElseThrow());
    }

    @Override
    public void close() {
        socket.sendText("{\"id\":0,\"method\":\"Browser.close\"}", true).join();
        boolean alive =
                process.onExit().completeOnTimeout(process, 10, TimeUnit.SECONDS).join().isAlive();
        socket.abort();
        http.shutdownNow();
        if (!alive) return;
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
