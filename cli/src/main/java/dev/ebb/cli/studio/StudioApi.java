package dev.ebb.cli.studio;

import com.sun.net.httpserver.HttpExchange;

import dev.ebb.Devices;
import dev.ebb.exec.Category;
import dev.ebb.exec.DeviceProvider;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.Budget;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Handles the requests of the page. */
final class StudioApi implements AutoCloseable {
    /** The longest time that a request waits for a computation. */
    private static final long PATIENCE_MILLIS = 60;

    private static final int MOST_MEMORIES = 256;

    private final String first;
    private final StudioFolder here;
    private final BackgroundPlanner plans;
    private final PlanningBackend models;
    private final StudioRuns runs;
    private final Map<ModelKey, Json> memories =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<ModelKey, Json> eldest) {
                    return size() > MOST_MEMORIES;
                }
            };

    StudioApi(
            String first,
            StudioFolder here,
            BackgroundPlanner plans,
            PlanningBackend models,
            StudioRuns runs) {
        this.first = first;
        this.here = here;
        this.plans = plans;
        this.models = models;
        this.runs = runs;
    }

    /** Starts to plan the model that the page shows first. */
    void prepare() {
        plans.of(ModelKey.of(new Query(Map.of("model", first))));
    }

    byte[] answer(String path, Query query) throws IOException, InterruptedException {
        return switch (path) {
            case "choices" -> Responses.bytes(choices());
            case "model" ->
                    plans.of(ModelKey.of(query))
                            .drawing(PATIENCE_MILLIS)
                            .orElseGet(StudioServer::pending);
            case "plan" ->
                    plans.of(ModelKey.of(query))
                            .answer(budget(query), PATIENCE_MILLIS)
                            .orElseGet(StudioServer::pending);
            case "curve" -> Responses.bytes(plans.of(ModelKey.of(query)).curve());
            case "why" -> Responses.bytes(why(query));
            case "memory" -> Responses.bytes(memory(ModelKey.of(query)));
            case "runs" -> Responses.bytes(runs.list());
            case "run" -> Responses.bytes(runs.run(query.text("name")));
            case "compare" -> Responses.bytes(runs.compare(query.text("a"), query.text("b")));
            default -> throw new RequestError(404, "there is nothing at this address");
        };
    }

    Json command(String path, Query query) throws IOException {
        return switch (path) {
            case "start" -> runs.start(query);
            case "resume" -> runs.resume(query);
            case "stop" -> runs.stop(query.text("name"));
            case "sample" -> runs.sample(query.text("name"), query.find("prompt").orElse("/** "));
            default -> throw new RequestError(404, "there is no such command");
        };
    }

    LiveRun watched(Query query) {
        return runs.watched(query.text("name"));
    }

    /** A budget in bytes; the page converts percentages, as it knows the store-all memory. */
    private static long budget(Query query) {
        return switch (Budget.of(query.text("budget"))) {
            case Budget.Bytes(long bytes) -> bytes;
            case Budget.Share _, Budget.OfSaved _, Budget.WithPlaces _ ->
                    throw RequestError.wrong("give the budget in bytes, such as 64MiB");
        };
    }

    private Json why(Query query) throws InterruptedException {
        var model = plans.of(ModelKey.of(query));
        if (model.graph(PATIENCE_MILLIS).isEmpty())
            throw new RequestError(409, "the model is not traced yet");
        var plan = model.plan(budget(query));
        var value = model.graphOf(plan).value(query.whole("value", 0, Integer.MAX_VALUE));
        return new ValueExplanation(plan, value).json();
    }

    private synchronized Json memory(ModelKey key) {
        var known = memories.get(key);
        if (known != null) return known;
        var memory = models.memory(key);
        var bytes = new LinkedHashMap<String, Json>();
        for (var category : Category.values()) {
            bytes.put(
                    category.name().toLowerCase(Locale.ROOT),
                    Json.of(memory.bytes().getOrDefault(category, 0L)));
        }
        var all = new LinkedHashMap<String, Json>();
        all.put("bytes", Json.of(bytes));
        all.put("training", Json.of(memory.training()));
        all.put("use", Json.of(memory.use()));
        all.put("scores", Json.of(memory.scores()));
        all.put("command", Json.of("./ebb memory " + key.options()));
        var json = Json.of(all);
        memories.put(key, json);
        return json;
    }

    /** The available choices of each menu, and the model that the page shows first. */
    private Json choices() throws IOException {
        var all = new ArrayList<Json>();
        for (var kind : Devices.all()) {
            var row = new LinkedHashMap<String, Json>();
            row.put("name", Json.of(kind.name()));
            switch (kind.found()) {
                case DeviceProvider.Here here -> row.put("text", Json.of(here.description()));
                case DeviceProvider.Missing missing ->
                        row.put("missing", Json.of(missing.reason()));
            }
            all.add(Json.of(row));
        }
        return Json.of(
                Map.of(
                        "model", Json.of(first),
                        "devices", Json.of(List.copyOf(all)),
                        "graphs", Json.of(here.files(".json").stream().map(Json::of).toList()),
                        "checkpoints", runs.checkpoints()));
    }

    /** Sends the report of a run, a page that makes no requests to this server. */
    void report(HttpExchange exchange, String name) throws IOException {
        var file = runs.folder(name).resolve(StoredRun.REPORT);
        if (!Files.isRegularFile(file)) throw new RequestError(404, "this run has no report yet");
        Responses.report(exchange, Files.readAllBytes(file));
    }

    @Override
    public void close() {
        plans.close();
        runs.close();
    }
}
