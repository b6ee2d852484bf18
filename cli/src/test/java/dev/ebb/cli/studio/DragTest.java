package dev.ebb.cli.studio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.cli.option.BareGraph;
import dev.ebb.cli.option.BarePlan;
import dev.ebb.cli.report.RunWatch;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.Budget;
import dev.ebb.plan.TradeOff;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A request for a budget is answered at once: with its plan, or with the nearest plan that is
 * ready.
 */
class DragTest {
    private static final int NODES = 40;

    @TempDir Path folder;

    private StudioServer server;
    private Wire wire;
    private String cookie;

    /** A chain in which each value is read again in the backward pass. */
    private BareGraph graph(int count) {
        var nodes = new ArrayList<String>();
        var links = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            nodes.add("{\"id\": %d, \"cost_cpu\": 1, \"cost_ram\": 1000}".formatted(i));
            if (i > 0) links.add("{\"source\": %d, \"target\": %d}".formatted(i - 1, i));
            if (i > count / 2)
                links.add("{\"source\": %d, \"target\": %d}".formatted(count - i, i));
        }
        var file = folder.resolve("graph.json");
        try {
            Files.writeString(
                    file,
                    "{\"nodes\": %s, \"links\": %s}".formatted(nodes.toString(), links.toString()));
            return BareGraph.read(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Graphs implements PlanningBackend {
        @Override
        public Step step(ModelKey key) {
            var plan = BarePlan.curve(graph(NODES)).at(Budget.unlimited());
            if (key.hostBytes() == 0) return new Step(plan, List.of());
            var other = BarePlan.curve(graph(NODES + 2));
            return new Step(
                    plan,
                    budget -> budget.resolve(0) < plan.storeAllBytes() ? other.at(budget) : plan,
                    () -> TradeOff.of(plan.curve()),
                    List.of());
        }

        @Override
        public Memory memory(ModelKey key) {
            return new Memory(Map.of(), 1, 1, 1);
        }
    }

    /** A training that only keeps a processor busy. */
    private static final class Busy implements TrainingBackend {
        @Override
        public int train(List<String> arguments, RunWatch watch, PrintWriter out, PrintWriter err) {
            watch.begins(new RunWatch.Begin(0, Long.MAX_VALUE, 1, 1, 1));
            for (long step = 1; !watch.isStopAsked(); step++)
                if (step % 1000 == 0) watch.made(new RunWatch.Made(step, 1.0 / step, 1e-6, 1));
            return 130;
        }

        @Override
        public double loss(Path checkpoint, Path text) {
            return 1;
        }

        @Override
        public String sample(Path checkpoint, String prompt) {
            return prompt;
        }

        @Override
        public byte[] ownText() {
            return new byte[100];
        }
    }

    @BeforeEach
    void start() throws IOException {
        var runs = Files.createDirectory(folder.resolve("runs"));
        server = new StudioServer(0, runs, "tiny", new Graphs(), new Busy());
        wire = Wire.to(server.address());
        var answer = wire.get("/?" + server.address().getQuery());
        var set = answer.header("Set-Cookie").orElseThrow();
        cookie = "Cookie: " + set.substring(0, set.indexOf(';'));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Json ask(String what) throws IOException {
        var answer = wire.get("/api/" + what, cookie);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return Json.parse(answer.body());
    }

    private String state(Json json) {
        return json.at("state").flatMap(Json::text).orElse("");
    }

    private Json awaited(String what, String member) throws Exception {
        var json = ask(what);
        while (json.at(member).flatMap(Json::truth).equals(Optional.of(false))) {
            Thread.sleep(20);
            json = ask(what);
        }
        return json;
    }

    private Json ready(String query, long budget) throws Exception {
        var json = ask("plan?" + query + "&budget=" + budget);
        while (!state(json).equals("ready")) {
            Thread.sleep(20);
            json = ask("plan?" + query + "&budget=" + budget);
        }
        return json;
    }

    @Test
    void a_plan_of_another_graph_brings_it_along() throws Exception {
        var query = "model=tiny&host=1000000";
        var curve = awaited("curve?" + query, "done");
        long most = curve.at("storeAll").flatMap(Json::whole).orElseThrow();
        assertThat(ready(query, most).at("model")).isEmpty();
        var less = ready(query, most - 1);
        var model = less.at("model").orElseThrow();
        assertThat(model.at("nodes").orElseThrow().elements()).hasSize(NODES + 2);
        for (var step : less.at("steps").orElseThrow().elements())
            assertThat(step.whole().orElseThrow()).isNotNegative();
        var last = model.at("values").orElseThrow().elements().size() - 1;
        var why = ask("why?" + query + "&budget=" + (most - 1) + "&value=" + last);
        assertThat(why.at("reason")).isPresent();
    }

    @Test
    void drags_while_a_run_trains_are_answered_and_the_last_one_exactly() throws Exception {
        wire.request(
                "POST",
                "/api/start",
                "{\"name\":\"run\"}",
                cookie,
                "Origin: http://" + wire.host());
        var curve = awaited("curve?model=tiny", "done");
        long most = curve.at("storeAll").flatMap(Json::whole).orElseThrow();
        long least = curve.at("least").flatMap(Json::whole).orElseThrow();
        assertThat(least).isLessThan(most);
        var millis = new ArrayList<Double>();
        for (int i = 0; i < 60; i++) {
            long budget = least + (most - least) * (i * 37 % 60) / 60;
            long from = System.nanoTime();
            var answer = ask("plan?model=tiny&budget=" + budget);
            millis.add((System.nanoTime() - from) / 1e6);
            assertThat(state(answer)).isIn("ready", "near");
            var plan = state(answer).equals("near") ? answer.at("plan").orElseThrow() : answer;
            assertThat(plan.at("promised").flatMap(Json::whole).orElseThrow())
                    .isLessThanOrEqualTo(plan.at("budget").flatMap(Json::whole).orElseThrow());
        }
        millis.sort(null);
        System.getLogger(DragTest.class.getName())
                .log(
                        System.Logger.Level.INFO,
                        "95 of 100 drags are answered within {0} ms",
                        millis.get(millis.size() * 95 / 100));
        long last = (least + most) / 2;
        var exact = ask("plan?model=tiny&budget=" + last);
        while (!state(exact).equals("ready")) exact = ask("plan?model=tiny&budget=" + last);
        var expected = BarePlan.curve(graph(NODES)).at(Budget.bytes(last));
        assertThat(exact.at("budget")).contains(Json.of(last));
        assertThat(exact.at("promised")).contains(Json.of(expected.peakBytes()));
        assertThat(exact.at("cost")).contains(Json.of(expected.cost()));
    }

    @Test
    void coarse_before_fine() {
        assertThat(List.of(1, 2, 3, 4, 5, 6, 7))
                .extracting(PlanResponses::coarseToFine)
                .containsExactly(0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875);
    }

    @Test
    void the_nearest_plan_that_fits_is_near() {
        var ready = new PlanResponses();
        var plan = BarePlan.curve(graph(NODES)).at(Budget.unlimited());
        assertThat(ready.near(10)).isEmpty();
        ready.refuse(5, bytes("{}"));
        ready.put(20, bytes("20"), plan);
        assertThat(text(ready, 10)).isEqualTo("{\"state\":\"near\",\"plan\":20}");
        ready.put(8, bytes("8"), plan);
        assertThat(text(ready, 10)).isEqualTo("{\"state\":\"near\",\"plan\":8}");
        assertThat(ready.at(8)).isPresent();
        ready.outdate();
        assertThat(ready.at(8)).isEmpty();
        assertThat(text(ready, 8)).isEqualTo("{\"state\":\"near\",\"plan\":8}");
    }

    private static String text(PlanResponses ready, long budget) {
        return new String(ready.near(budget).orElseThrow(), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
