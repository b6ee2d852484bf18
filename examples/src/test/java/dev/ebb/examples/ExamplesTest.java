package dev.ebb.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.ir.DType;
import dev.ebb.nn.model.Weights;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Every example runs, and gives what it says. */
final class ExamplesTest {
    private static final Path SOURCES = Path.of("src/main/java/dev/ebb/examples");

    /** As a reader would run it: {@code main}, without arguments, prints something and ends. */
    @TestFactory
    Stream<DynamicTest> every_main_runs() throws IOException {
        try (var files = Files.list(SOURCES)) {
            var names =
                    files.map(f -> f.getFileName().toString())
                            .filter(name -> name.startsWith("Example"))
                            .map(name -> name.replace(".java", ""))
                            .sorted()
                            .toList();
            assertThat(names).hasSizeGreaterThanOrEqualTo(10);
            return names.stream()
                    .map(
                            name ->
                                    DynamicTest.dynamicTest(
                                            name, () -> assertThat(printed(name)).isNotBlank()));
        }
    }

    /** What each main printed; other tests read it too, since some examples train for a while. */
    private static final Map<String, String> PRINTED = new HashMap<>();

    private static synchronized String printed(String name) throws ReflectiveOperationException {
        var before = Optional.ofNullable(PRINTED.get(name));
        if (before.isPresent()) return before.get();
        var text = run(name);
        PRINTED.put(name, text);
        return text;
    }

    /** The last number that follows {@code before} in what an example printed. */
    private static double number(String name, String before) throws ReflectiveOperationException {
        var text = printed(name);
        int at = text.lastIndexOf(before);
        assertThat(at).as("%s in %s", before, text).isNotNegative();
        return Double.parseDouble(text.substring(at + before.length()).split("[^0-9.E-]", -1)[0]);
    }

    private static String run(String name) throws ReflectiveOperationException {
        var main = Class.forName("dev.ebb.examples." + name).getMethod("main", String[].class);
        var text = new ByteArrayOutputStream();
        var out = System.out;
        System.setOut(new PrintStream(text, true, StandardCharsets.UTF_8));
        try {
            main.invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(out);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    @Test
    void firstGradient() {
        assertThat(Example1FirstGradient.gradient().toFloats()).containsExactly(2, 4, 6);
        var told = Example1FirstGradient.withResiduals(Array.of(2f, 4f));
        assertThat(told.grad().toFloats()).containsExactly(2, 6);
        assertThat(told.extra().toFloats()).containsExactly(1, 3);
    }

    @Test
    void firstBudget() {
        var all = Example2FirstBudget.run(Budget.share(1));
        var less = Example2FirstBudget.run(Budget.bytes(all.report().promisedBytes() - 40_000));
        assertThat(Weights.digest(less.gradient())).isEqualTo(Weights.digest(all.gradient()));
        assertThat(less.report().promisedBytes()).isLessThan(all.report().promisedBytes());
        assertThat(less.report().measuredBytes()).isEqualTo(less.report().promisedBytes());
        assertThat(Example2FirstBudget.refusal()).startsWith("at least ");
        assertThat(Example2FirstBudget.explained(Budget.share(1))).isNotBlank();
    }

    @Test
    void customOp() {
        double e = Math.exp(-1);
        double e2 = Math.exp(-2);
        assertThat(Example3CustomOp.gradient().toDoubles())
                .containsExactly(new double[] {1, 0, -e2}, within(1e-12));
        assertThat(Example3CustomOp.second().toDoubles())
                .containsExactly(new double[] {-2, -e, 0}, within(1e-12));
    }

    @Test
    void training() throws ReflectiveOperationException {
        assertThat(number("Example4Training", "loss ")).isLessThan(0.01);
    }

    @Test
    void hessianVector() {
        assertThat(Example5HessianVector.curvature().toDoubles())
                .containsExactly(new double[] {802, -400}, within(1e-9));
    }

    @Test
    void smallFunction() {
        assertThat(Example12SmallFunction.descend(20_000))
                .containsExactly(new double[] {1, 1}, within(1e-2));
    }

    @Test
    void loop(@TempDir Path folder) {
        var all = Example6Loop.gradient(Budget.unlimited());
        assertThat(all.get(0)).isBetween(-1.0, 1.0);
        assertThat(Example6Loop.gradientFromFourStates().sameBits(all)).isTrue();
        assertThat(Example6Loop.gradientFromBothPlaces(folder).sameBits(all)).isTrue();
        var pushes = Array.of(0.1f, 0.2f, 0.3f);
        var end = Example6Loop.growing(Array.scalar(0.5f), pushes);
        assertThat(end.item()).isBetween(0.0, 1.0);
        assertThat(Example6Loop.damped(pushes).get(0)).isEqualTo(0.5);
    }

    @Test
    void strategies(@TempDir Path folder) throws IOException {
        var kept = Example8Strategies.run(Example8Strategies.keepAttention());
        var mixed = Example8Strategies.run(Example8Strategies.mixed());
        assertThat(kept.recomputed()).isGreaterThan(mixed.recomputed());
        assertThat(mixed.recomputed()).isPositive();
        assertThat(mixed.measuredBytes()).isEqualTo(mixed.promisedBytes());
        assertThat(Example8Strategies.predicted(folder.resolve("prices"))).isPositive();
    }

    @Test
    void files(@TempDir Path folder) throws IOException {
        assertThat(Example7Files.roundTrip(folder)).isTrue();
    }

    @Test
    void reversible() throws ReflectiveOperationException {
        double four = Double.parseDouble(printed("Example9Reversible").split(" ", -1)[0]);
        assertThat(number("Example9Reversible", "4 blocks, ") - four)
                .isLessThanOrEqualTo(2 * 256 * 16 * 4);
        var orbit = Example9Reversible.orbit(Budget.unlimited());
        assertThat(orbit.get(0)).isNotZero();
        assertThat(Example9Reversible.mirrored().toDoubles())
                .containsExactly(new double[] {2, 2 * Math.exp(2)}, within(1e-12));
    }

    @Test
    void disk(@TempDir Path folder) throws ReflectiveOperationException {
        var report = Example10Disk.run(folder);
        assertThat(report.measuredBytes()).isEqualTo(report.promisedBytes());
        assertThat(report.places().getFirst().measuredBytes())
                .isEqualTo(report.places().getFirst().promisedBytes())
                .isPositive();
        assertThat(printed("Example10Disk")).contains("recompute: from", "recompute + disk: from");
    }

    @Test
    void donating() {
        assertThat(Example16Donating.decay(5).toFloats()).containsExactly(2, 1);
    }

    @Test
    void science() {
        var spot = Array.of(0.9, 1.0, 1.2);
        var volatility = Array.of(0.3, 0.2, 0.25);
        var quotes = new Example17Science.Quotes(spot, Example17Science.call(volatility, spot));
        assertThat(Example17Science.implied(quotes).toDoubles())
                .containsExactly(volatility.toDoubles(), within(1e-10));
        assertThat(Example17Science.sensitivities(quotes).price().toDoubles()[1])
                .isCloseTo(Math.sqrt(2 * Math.PI) * Math.exp(0.005), within(1e-9));
        assertThat(Example17Science.landingByDrag(0.02).item()).isNegative();
        var x = Tensors.linspace(DType.F64, 0, 1, 30);
        var whole = Ebb.jacobian(Example17Science::heated).apply(x);
        assertThat(Example17Science.heatedByTemperature(x).toDense().toDoubles())
                .containsExactly(whole.toDoubles(), within(1e-14));
    }

    @Test
    void digits() throws IOException, ReflectiveOperationException {
        assertThat(number("Example14Digits", "accuracy ")).isGreaterThan(0.95);
        assertThat(number("Example14Digits", "measured "))
                .isEqualTo(number("Example14Digits", "promised "))
                .isPositive();
        assertThat(linesOf("Example14Digits")).isLessThanOrEqualTo(40);
    }

    @Test
    void table() throws IOException, ReflectiveOperationException {
        assertThat(number("Example15Table", "accuracy ")).isGreaterThan(0.95);
        assertThat(number("Example15Table", "auc ")).isGreaterThan(0.99);
        assertThat(linesOf("Example15Table")).isLessThanOrEqualTo(40);
    }

    /** The lines of an example without package, imports and empty lines. */
    private static long linesOf(String name) throws IOException {
        try (var lines = Files.lines(SOURCES.resolve(name + ".java"))) {
            return lines.map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.matches("(package|import|// \\[?).*"))
                    .count();
        }
    }
}
