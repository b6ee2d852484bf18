package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.cli.option.BareGraph;
import dev.ebb.cli.option.BarePlan;
import dev.ebb.ir.Table;
import dev.ebb.nn.file.Json;
import dev.ebb.plan.Budget;
import dev.ebb.plan.OverBudgetException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

class BarePlanTest {
    /** A diamond graph with a long-lived first value: 0 feeds 1 and 3, 1 feeds 2, 2 feeds 3. */
    private static final String SMALL =
            """
            {"graph": {}, "nodes": [
              {"id": 0, "name": "a", "backward": false, "cost_cpu": 1, "cost_ram": 100},
              {"id": 1, "name": "b", "backward": false, "cost_cpu": 5, "cost_ram": 10},
              {"id": 2, "name": "c", "backward": true, "cost_cpu": 5, "cost_ram": 100},
              {"id": 3, "name": "d", "backward": true, "cost_cpu": 5, "cost_ram": 10},
              {"id": 4, "name": "e", "backward": true, "cost_cpu": 5, "cost_ram": 10}],
             "links": [{"source": 0, "target": 1}, {"source": 1, "target": 2}, {"source": 2, "target": 3},
                       {"source": 0, "target": 4}, {"source": 3, "target": 4}]}
            """;

    @Test
    void recomputesWhatDoesNotFit() {
        var graph = BareGraph.parse(SMALL);
        var all = BarePlan.of(graph, Budget.bytes(1000));
        assertThat(all.plan().cost()).isEqualTo(21);
        assertThat(all.plan().peakBytes()).isEqualTo(210);
        var tight = BarePlan.of(graph, Budget.bytes(130));
        assertThat(tight.plan().cost()).isEqualTo(22);
        assertThat(tight.plan().lowerBound()).isGreaterThan(21);
        assertThat(tight.json())
                .isEqualTo(
                        """
                        {
                          "peak": 120,
                          "cost": 22,
                          "lower_bound": 21.8,
                          "gap": 0.00917431192660545,
                          "least_budget": 120,
                          "steps": [
                            {"compute": 0},
                            {"compute": 1},
                            {"free": 0},
                            {"compute": 2},
                            {"free": 1},
                            {"compute": 3},
                            {"free": 2},
                            {"compute": 0},
                            {"compute": 4},
                            {"free": 0},
                            {"free": 3},
                            {"free": 4}
                          ]
                        }
                        """);
    }

    @Test
    void refusesWithTheLeastThatWorks() {
        assertThatThrownBy(() -> BarePlan.of(BareGraph.parse(SMALL), Budget.bytes(119)))
                .isInstanceOfSatisfying(
                        OverBudgetException.class, e -> assertThat(e.leastBytes()).isEqualTo(120))
                .hasMessageContaining("119 bytes")
                .hasMessageContaining("reads");
    }

    @Test
    void saysWhatIsWrongWithAFile() {
        assertThatThrownBy(() -> BareGraph.parse("{\"nodes\": [}"))
                .hasMessageContaining("character 11");
        assertThatThrownBy(() -> BareGraph.parse("{\"nodes\": []}")).hasMessageContaining("links");
        assertThatThrownBy(
                        () ->
                                BareGraph.parse(
                                        SMALL.replace("\"cost_ram\": 10}", "\"cost_ram\": -1}")))
                .hasMessageContaining("-1 bytes");
        assertThatThrownBy(() -> BareGraph.parse(SMALL.replace("\"target\": 3", "\"target\": 2")))
                .hasMessageContaining("does not precede");
    }

    @Test
    void readsBudgetsAsPeopleWriteThem() {
        assertThat(Budget.of("80%")).isEqualTo(Budget.share(0.8));
        assertThat(Budget.of("64MiB")).isEqualTo(Budget.mebibytes(64));
        assertThat(Budget.of("free").resolve(1)).isGreaterThan(1 << 20);
        assertThat(Budget.of("123")).isEqualTo(Budget.bytes(123));
        assertThatThrownBy(() -> Budget.of("lots")).hasMessageContaining("80%");
        assertThatThrownBy(() -> Budget.of("0")).hasMessageContaining("positive");
        assertThatThrownBy(() -> Budget.of("9e30")).hasMessageContaining("not a budget");
        assertThatThrownBy(() -> Budget.of("99999999999999999999"))
                .hasMessageContaining("overflows");
    }

    /**
     * Published graphs: nodes, the seconds that planning may take, and the best known costs by
     * percent of the store-all peak.
     */
    static Stream<Arguments> published() {
        return Stream.of(
                Arguments.of("vgg16-train", 10, Map.of(95, 1.00774, 90, 1.01968, 85, 1.01968)),
                Arguments.of(
                        "unet-train",
                        10,
                        Map.of(
                                90, 1.01129, 80, 1.01984, 70, 1.02967, 60, 1.04451, 50, 1.06967, 45,
                                1.09321)),
                Arguments.of("random-100", 10, Map.of(90, 1.00789, 80, 1.02296)),
                Arguments.of("resnet50-train", 10, Map.of(80, 1.02470)),
                Arguments.of("random-500", 60, Map.of()));
    }

    @ParameterizedTest
    @MethodSource("published")
    void holdsItsOwnOnPublishedGraphs(String name, int seconds, Map<Integer, Double> best)
            throws IOException {
        var file = sharedGraphs().resolve(name + ".json");
        assumeTrue(Files.exists(file), "no published graphs beside the project: " + file);
        var graph = BareGraph.parse(Files.readString(file));
        var start = spent();
        var curve = BarePlan.curve(graph);
        long all = curve.storeAllBytes();
        long least = curve.leastBytes();
        double spent = spent().minus(start).toMillis() / 1e3;
        assertThat(spent).as("seconds to plan %s", name).isLessThan(seconds);
        System.out.printf("%s: %.1f s, least budget %.2f %%%n", name, spent, 100.0 * least / all);
        double last = 0;
        for (int percent : percents(best)) {
            long budget = (long) (all * (percent / 100.0));
            if (budget < least) break;
            var plan = new BarePlan(curve.at(Budget.bytes(budget)));
            double ratio = check(graph, plan.json(), budget) / curve.storeAllCost();
            System.out.printf("  %d %%: cost %.5f, gap %.5f%n", percent, ratio, plan.plan().gap());
            assertThat(ratio)
                    .isLessThanOrEqualTo(1.01 * best.getOrDefault(percent, Double.MAX_VALUE / 2));
            assertThat(ratio).as("cost at %s %%", percent).isGreaterThanOrEqualTo(last);
            assertThat(plan.plan().lowerBound())
                    .isLessThanOrEqualTo(plan.plan().cost() * (1 + 1e-12));
            last = ratio;
        }
        double dearest = check(graph, new BarePlan(curve.at(Budget.bytes(least))).json(), least);
        assertThat(dearest / curve.storeAllCost())
                .as("cost at the least")
                .isGreaterThanOrEqualTo(last);
        if (name.equals("resnet50-train")) assertThat(least).isLessThanOrEqualTo(all / 5);
        assertThatThrownBy(() -> curve.at(Budget.bytes(least - 1)))
                .isInstanceOf(OverBudgetException.class);
    }

    /**
     * The processor time of this process. Planning runs on one thread, and the process also counts
     * the threads of the JIT and the garbage collector, so this is at least the elapsed time on an
     * idle machine, and a busy machine does not fail the test.
     */
    private static Duration spent() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    private static Iterable<Integer> percents(Map<Integer, Double> best) {
        var all = new TreeMap<Integer, Boolean>().descendingMap();
        for (int p = 90; p > 0; p -= 10) all.put(p, true);
        for (int p : best.keySet()) all.put(p, true);
        return all.keySet();
    }

    private static Path sharedGraphs() {
        var root = Path.of("").toAbsolutePath();
        while (root.getParent() != null && !Files.exists(root.resolve("docs/design.md")))
            root = root.getParent();
        return root.resolveSibling("shared").resolve("graphs");
    }

    /** Checks a printed plan independently; returns its cost. */
    private static double check(BareGraph graph, String json, long budget) {
        var parsed = Shell.parsed(json);
        var items = new Table<Long, BareGraph.Item>();
        for (var item : graph.items()) items.put(item.id(), item);
        var resident = new HashSet<Long>();
        var computed = new HashSet<Long>();
        long bytes = 0;
        long peak = 0;
        double cost = 0;
        for (Json step : parsed.at("steps").orElseThrow().elements()) {
            if (step.at("compute").isPresent()) {
                var item = items.at(step.at("compute").flatMap(Json::whole).orElseThrow());
                assertThat(resident).containsAll(item.inputs()).doesNotContain(item.id());
                resident.add(item.id());
                computed.add(item.id());
                bytes += item.bytes();
                peak = Math.max(peak, bytes);
                cost += item.cost();
            } else {
                var item = items.at(step.at("free").flatMap(Json::whole).orElseThrow());
                assertThat(resident.remove(item.id())).isTrue();
                bytes -= item.bytes();
            }
        }
        assertThat(computed).hasSize(graph.items().size());
        assertThat(peak)
                .isLessThanOrEqualTo(budget)
                .isEqualTo(parsed.at("peak").flatMap(Json::whole).orElseThrow());
        assertThat(parsed.at("cost").flatMap(Json::number).orElseThrow())
                .isCloseTo(cost, within(1e-6 * cost));
        return cost;
    }
}
