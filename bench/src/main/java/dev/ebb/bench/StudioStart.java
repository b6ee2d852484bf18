package dev.ebb.bench;

import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;

/**
 * Measures how long a user of the studio waits: for the page and everything that it loads, for the
 * first plan of the model shown first, and for an answer to each budget while dragging, during a
 * training run of the same model. The cache of plans is empty at first. The thresholds are seconds
 * on two otherwise idle cores; the processor time is printed next to them.
 */
public final class StudioStart {
    private static final double PAGE_SECONDS = 1;
    private static final double PLAN_SECONDS = 3;
    private static final double DRAG_MILLIS = 200;

    private static final Pattern LINKED =
            Pattern.compile("(?:src|href)=\"([\\w.]+)\"|from \"\\./([\\w.]+)\"");
    private static final Pattern STORE_ALL = Pattern.compile("\"storeAll\":(\\d+)");
    private static final Pattern LEAST = Pattern.compile("\"least\":(\\d+)");

    private final HttpClient http = HttpClient.newHttpClient();
    private final Thresholds thresholds = new Thresholds();
    private final Path folder;
    private String root = "";
    private String cookie = "";

    private StudioStart(Path folder) {
        this.folder = folder;
    }

    /** Argument: the number of budgets that are dragged to. */
    public static void main(String[] args) throws IOException, InterruptedException {
        var folder = Files.createTempDirectory("studio");
        var start = new StudioStart(folder);
        try {
            start.measure(args.length > 0 ? Integer.parseInt(args[0]) : 200);
        } finally {
            Start.delete(folder);
        }
        start.thresholds.end();
    }

    /** The processor time that a process has used so far, in all its threads. */
    private static double worked(Process process) {
        return process.info().totalCpuDuration().map(d -> d.toMillis() / 1e3).orElse(Double.NaN);
    }

    private void measure(int drags) throws IOException, InterruptedException {
        Files.writeString(
                folder.resolve("text.txt"), "the tide comes, the tide goes. ".repeat(400));
        var builder = new ProcessBuilder(Start.EBB.toString(), "studio", "--no-browser");
        builder.directory(folder.toFile()).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        warmUp();
        long from = System.nanoTime();
        var studio = builder.start();
        try (var lines = studio.inputReader(StandardCharsets.UTF_8)) {
            var line = lines.readLine();
            if (line == null || !line.startsWith("studio: "))
                throw new IllegalStateException("the studio did not start: " + line);
            open(URI.create(line.substring("studio: ".length())));
            print("page and all it loads", since(from), PAGE_SECONDS, studio);
            firstPlan();
            print("first plan", since(from), PLAN_SECONDS, studio);
            var most = number(STORE_ALL, ask("curve?model=small"));
            train();
            drag("no places beside memory", "model=small", most, drags);
            drag("1 GiB of host memory", "model=small&host=1073741824", most, drags);
        } finally {
            studio.destroy();
            studio.waitFor();
        }
    }

    /** Builds the program if it is out of date, and warms up the HTTP client. */
    private void warmUp() throws IOException, InterruptedException {
        new ProcessBuilder(Start.EBB.toString(), "--help")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        var server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
        server.createContext(
                "/",
                exchange -> {
                    exchange.sendResponseHeaders(204, -1);
                    exchange.close();
                });
        server.start();
        try {
            root = "http://localhost:" + server.getAddress().getPort() + "/";
            get("");
        } finally {
            server.stop(0);
        }
    }

    private void print(String name, double seconds, double most, Process studio) {
        System.out.printf(
                Locale.ROOT,
                "%s: %.2f s%s, of the processors %.2f s%n",
                name,
                seconds,
                thresholds.atMost(most, seconds, name),
                worked(studio));
    }

    private static double since(long from) {
        return (System.nanoTime() - from) / 1e9;
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(root + path)).header("Cookie", cookie);
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /**
     * Loads the page like a browser: the page, the files that it names, and the files that these
     * name.
     */
    private void open(URI address) throws IOException, InterruptedException {
        root = "http://" + address.getAuthority() + "/";
        var entered =
                http.send(
                        HttpRequest.newBuilder(address).build(),
                        HttpResponse.BodyHandlers.ofString());
        var set = entered.headers().firstValue("Set-Cookie").orElseThrow();
        cookie = set.substring(0, set.indexOf(';'));
        var wanted = new ArrayList<>(List.of(""));
        for (int i = 0; i < wanted.size(); i++) {
            var loaded = get(wanted.get(i));
            if (loaded.statusCode() != 200)
                throw new IllegalStateException(wanted.get(i) + ": " + loaded.statusCode());
            var linked = LINKED.matcher(loaded.body());
            while (linked.find()) {
                var name = linked.group(1) == null ? linked.group(2) : linked.group(1);
                if (!wanted.contains(name)) wanted.add(name);
            }
        }
    }

    private String ask(String name) throws IOException, InterruptedException {
        var answer = get("api/" + name);
        if (answer.statusCode() != 200)
            throw new IllegalStateException(name + ": " + answer.body());
        return answer.body();
    }

    private static boolean isReady(String answer) {
        return answer.startsWith("{\"state\":\"ready\"");
    }

    private void firstPlan() throws IOException, InterruptedException {
        while (!ask("model?model=small").contains("\"storeAll\"")) Thread.sleep(20);
        while (!isReady(ask("plan?model=small&budget=64MiB"))) Thread.sleep(20);
    }

    private static long number(Pattern pattern, String text) {
        var found = pattern.matcher(text);
        if (!found.find()) throw new IllegalStateException("no " + pattern + " in " + text);
        return Long.parseLong(found.group(1));
    }

    private void train() throws IOException, InterruptedException {
        var body = "{\"name\":\"run\",\"model\":\"small\",\"steps\":100000,\"text\":\"text.txt\"}";
        var request =
                HttpRequest.newBuilder(URI.create(root + "api/start"))
                        .header("Cookie", cookie)
                        .header("Origin", root.substring(0, root.length() - 1))
                        .POST(HttpRequest.BodyPublishers.ofString(body));
        var answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) throw new IllegalStateException(answer.body());
        while (!ask("run?name=run").contains("\"step\":")) Thread.sleep(50);
    }

    /** Requests budgets all over the curve, one after the other, a moment apart. */
    private void drag(String name, String query, long most, int drags)
            throws IOException, InterruptedException {
        var curve = ask("curve?" + query);
        while (!curve.contains("\"done\":true")) {
            Thread.sleep(100);
            curve = ask("curve?" + query);
        }
        long least = number(LEAST, curve);
        var random = new Random(1);
        var millis = new double[drags];
        int exact = 0;
        for (int i = 0; i < drags; i++) {
            long budget = least + (long) ((most - least) * random.nextDouble());
            long from = System.nanoTime();
            var answer = ask("plan?" + query + "&budget=" + budget);
            millis[i] = since(from) * 1000;
            if (isReady(answer)) exact++;
            Thread.sleep(20);
        }
        Arrays.sort(millis);
        System.out.printf(
                Locale.ROOT,
                "a drag while the model trains, %s: median %.0f ms, 95 of 100 within %.0f ms%s, all"
                        + " within %.0f ms; %d of %d answered by their own plan, others by a near"
                        + " one%n",
                name,
                millis[drags / 2],
                millis[drags * 95 / 100],
                thresholds.atMost(DRAG_MILLIS, millis[drags * 95 / 100], "a drag, " + name),
                millis[drags - 1],
                exact,
                drags);
    }
}
