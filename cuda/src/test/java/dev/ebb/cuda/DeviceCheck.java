package dev.ebb.cuda;

import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.ir.Buffer;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * On a machine with a GPU: compares every kernel form over many shapes and types with the reference
 * device, in a table of the largest relative errors; then measures the rates of a few large
 * kernels. Details are written to files in the folder given first.
 */
public final class DeviceCheck {
    private final OpenCard card;
    private final PrintWriter log;

    private DeviceCheck(OpenCard card, PrintWriter log) {
        this.card = card;
        this.log = log;
    }

    /**
     * @param arguments the folder for details; then {@code all}, {@code cases}, {@code rates},
     *     {@code sweep}, {@code gpt}, {@code profile} with the names of models, {@code start}, or
     *     {@code bench} with the peers' program and the names of parts, all of them if none is
     *     named
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        var folder = Path.of(arguments.length > 0 ? arguments[0] : ".");
        var what = arguments.length > 1 ? arguments[1] : "all";
        var rest = List.of(arguments).subList(Math.min(2, arguments.length), arguments.length);
        switch (what) {
            case "all", "cases", "rates" -> kernels(folder, what);
            case "sweep" -> DevicePrograms.sweep(folder);
            case "gpt" -> DevicePrograms.gpt(folder);
            case "profile" -> DevicePrograms.profile(folder, rest);
            case "start" -> DeviceStart.step(folder);
            case "bench" -> DeviceBench.run(folder, rest);
            default -> throw new IllegalArgumentException("no check is called " + what);
        }
    }

    private static void kernels(Path folder, String what) throws IOException {
        try (var log = new PrintWriter(Files.newBufferedWriter(folder.resolve("cases.txt")));
                var card = new OpenCard(Files.createTempDirectory("ebb-kernels"))) {
            System.out.println(card.describe());
            var check = new DeviceCheck(card, log);
            int failed = what.equals("rates") ? 0 : check.cases();
            if (!what.equals("cases")) new DeviceRates(card, folder.resolve("rates.txt")).run();
            if (failed > 0) throw new IllegalStateException(failed + " cases failed; see above");
        }
    }

    private static final class Row {
        int cases;
        int failed;
        int different;
        double most;
    }

    private int cases() {
        var rows = new TreeMap<String, Row>();
        var failures = new ArrayList<String>();
        var all = Cases.all();
        card.compile(all.stream().flatMap(c -> c.ways().stream()).map(Case.Way::recipe).toList());
        for (var c : all) {
            var expected = c.expected();
            for (var way : c.ways()) {
                var row = rows.computeIfAbsent(way.name(), _ -> new Row());
                row.cases++;
                double error = Double.POSITIVE_INFINITY;
                String fault = "";
                try {
                    var first = run(c, way.recipe());
                    error = c.error(first, expected);
                    if (!same(first, run(c, way.recipe()))) row.different++;
                } catch (CudaException e) {
                    fault = String.valueOf(e.getMessage());
                }
                row.most = Math.max(row.most, error);
                log.printf("%s | %s | %.3g%s%n", way.name(), c.name(), error, fault);
                if (!(error <= way.tolerance())) {
                    row.failed++;
                    failures.add(
                            "%s | %s | %.3g | %s"
                                    .formatted(
                                            way.name(),
                                            c.name(),
                                            error,
                                            fault.lines().limit(3).toList()));
                }
                if (fault.startsWith("cu") && fault.contains("CUDA_ERROR")) {
                    print(rows, failures);
                    throw new CudaException("the card is lost after " + c.name() + ": " + fault);
                }
            }
        }
        print(rows, failures);
        return failures.size();
    }

    private void print(TreeMap<String, Row> rows, List<String> failures) {
        System.out.printf(
                "%n%-20s %6s %7s %10s %10s%n",
                "form", "cases", "failed", "other bits", "max error");
        rows.forEach(
                (form, r) ->
                        System.out.printf(
                                "%-20s %6d %7d %10d %10.2g%n",
                                form, r.cases, r.failed, r.different, r.most));
        System.out.printf("%d kernels compiled in %.1f s%n", card.kernels(), card.compileSeconds());
        failures.stream().limit(25).forEach(f -> System.out.println("FAILED " + f));
        if (failures.size() > 25) System.out.println("... and " + (failures.size() - 25) + " more");
    }

    private static boolean same(List<Buffer> a, List<Buffer> b) {
        for (int i = 0; i < a.size(); i++) {
            if (a.get(i).segment().mismatch(b.get(i).segment()) >= 0) return false;
        }
        return true;
    }

    private List<Buffer> run(Case c, Recipe recipe) {
        var driver = card.driver();
        var made = new ArrayList<Long>();
        var in = new ArrayList<Long>();
        for (var b : c.in()) in.add(upload(b, made));
        var outputs = c.outputs();
        var out = new ArrayList<Long>();
        for (var b : outputs) out.add(upload(b, made));
        long workspace = driver.allocate(Math.max(256, recipe.workspaceBytes()));
        long fault = driver.allocate(16);
        made.add(workspace);
        made.add(fault);
        driver.zero(fault, 16, card.stream());
        card.bind(recipe, new OperandAddresses(in, out, workspace, fault, 7)).run();
        for (int i = 0; i < out.size(); i++) {
            var to = outputs.get(i);
            if (to.bytes() > 0)
                driver.toHost(to.segment().address(), out.get(i), to.bytes(), card.stream());
        }
        card.await();
        made.forEach(driver::free);
        return outputs;
    }

    private long upload(Buffer b, List<Long> made) {
        long to = card.driver().allocate(Math.max(256, b.bytes()));
        made.add(to);
        if (b.bytes() > 0)
            card.driver().toDevice(to, b.segment().address(), b.bytes(), card.stream());
        return to;
    }
}
