package dev.ebb.cuda;

import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.plan.Plan;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The time of each kernel of a program, measured separately, times the number of its occurrences.
 */
final class DeviceProfile extends CardTimer {
    private final PrintWriter log;

    DeviceProfile(OpenCard card, PrintWriter log) {
        super(card);
        this.log = log;
    }

    private record Piece(Kernel kernel, List<Type> in, List<Type> out) {
        String show() {
            return kernel.getClass().getSimpleName()
                    + in.stream().map(Type::toString).collect(Collectors.joining(" ", " ", " -> "))
                    + out.stream().map(Type::toString).collect(Collectors.joining(" "));
        }

        double bytes() {
            double all = 0;
            for (var t : in) all += t.bytes();
            for (var t : out) all += t.bytes();
            return all;
        }
    }

    private record Line(double total, String text) {}

    void run(String name, Plan plan) {
        var cache = new RecipeCache(Precision.TF32);
        Map<Piece, Integer> pieces = new LinkedHashMap<>();
        for (var node : plan.schedule().problem().graph().nodes()) {
            if (cache.recipe(node).isEmpty()) continue;
            var types = node.results().stream().map(Value::type).toList();
            pieces.merge(new Piece(node.kernel(), node.inputTypes(), types), 1, Integer::sum);
        }
        var recipes = new ArrayList<Recipe>();
        for (var node : plan.schedule().problem().graph().nodes())
            cache.recipe(node).ifPresent(recipes::add);
        card.compile(recipes);
        var lines = new ArrayList<Line>();
        var kinds = new LinkedHashMap<String, Double>();
        double whole = 0;
        for (var entry : pieces.entrySet()) {
            var piece = entry.getKey();
            double ms;
            try (var _ = GpuLock.take()) {
                ms = time(piece);
            }
            double total = ms * entry.getValue();
            whole += total;
            kinds.merge(piece.kernel().getClass().getSimpleName(), total, Double::sum);
            lines.add(
                    new Line(
                            total,
                            "%8.3f ms = %3d x %7.3f, %5.0f GB/s, %s"
                                    .formatted(
                                            total,
                                            entry.getValue(),
                                            ms,
                                            piece.bytes() / ms / 1e6,
                                            piece.show())));
        }
        lines.sort((a, b) -> Double.compare(b.total(), a.total()));
        System.out.printf("%s: %.1f ms in kernels by themselves, by form %s%n", name, whole, kinds);
        log.printf("%s: %.1f ms in kernels by themselves, by form %s%n", name, whole, kinds);
        lines.forEach(l -> log.println(l.text()));
        lines.stream().limit(45).forEach(l -> System.out.println(shortened(l.text())));
        log.flush();
    }

    private static String shortened(String text) {
        return text.substring(0, Math.min(190, text.length()));
    }

    private double time(Piece piece) {
        try {
            var from = piece.in().stream().map(this::random).toList();
            var to = piece.out().stream().map(this::place).toList();
            return time(run(piece.kernel(), from, to, piece.in(), piece.out(), Precision.TF32));
        } catch (CudaException e) {
            log.println(piece.show() + ": " + e.getMessage());
            return 0;
        } finally {
            made.forEach(driver::free);
            made.clear();
        }
    }

    private long place(Type type) {
        long p = driver.allocate(Math.max(256, type.bytes()));
        made.add(p);
        return p;
    }
}
