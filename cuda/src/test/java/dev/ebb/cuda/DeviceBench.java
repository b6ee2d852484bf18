package dev.ebb.cuda;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The benchmark of a card: a GPT at several budgets and single kernels, with PyTorch beside them in
 * the same run where {@code python3} has it. The table is printed, and written as JSON.
 */
final class DeviceBench {
    private DeviceBench() {}

    /** Milliseconds, and GiB at the peak where that was measured. */
    private record Result(double milliseconds, double peak) {}

    /**
     * One line of the table.
     *
     * @param name what the peer's program calls it too
     * @param rate in words
     */
    private record Line(String name, Result own, String rate, Optional<Result> peer) {
        String show() {
            return "%-46s %9.3f ms %7s %-14s %s"
                    .formatted(
                            name,
                            own.milliseconds,
                            gib(own.peak),
                            rate,
                            peer.map(
                                            p ->
                                                    "%9.3f ms %7s  ratio %.2f"
                                                            .formatted(
                                                                    p.milliseconds,
                                                                    gib(p.peak),
                                                                    own.milliseconds
                                                                            / p.milliseconds))
                                    .orElse(""))
                    .stripTrailing();
        }

        private static String gib(double peak) {
            return peak > 0 ? "%.2f GiB".formatted(peak) : "";
        }

        String json() {
            return "{\"name\": \"%s\", \"ms\": %s, \"gib\": %s, \"rate\": \"%s\"%s}"
                    .formatted(
                            name,
                            own.milliseconds,
                            own.peak,
                            rate,
                            peer.map(
                                            p ->
                                                    ", \"pytorch_ms\": %s, \"pytorch_gib\": %s"
                                                            .formatted(p.milliseconds, p.peak))
                                    .orElse(""));
        }
    }

    /**
     * @param peers the program that times PyTorch, or nothing
     */
    static void run(Path folder, List<String> peers) throws IOException, InterruptedException {
        var others = peers.isEmpty() ? Map.<String, Result>of() : peers(Path.of(peers.getFirst()));
        var lines = new ArrayList<Line>();
        var cuda = new Cuda(0);
        boolean same;
        try (var log = new PrintWriter(Files.newBufferedWriter(folder.resolve("gpt.txt")))) {
            var programs = new DeviceGpt(log);
            same = DevicePrograms.curves(cuda, programs);
            for (var run : programs.runs()) {
                var name = "GPT in " + run.type() + ", " + run.name();
                var own = new Result(run.milliseconds(), run.peakBytes() / (double) (1 << 30));
                var rate = run.kept() ? "as promised" : "NOT AS PROMISED";
                lines.add(new Line(name, own, rate, Optional.ofNullable(others.get(name))));
            }
        }
        try (var card = new OpenCard(Files.createTempDirectory("ebb-kernels"))) {
            for (var m : new DeviceRates(card, folder.resolve("rates.txt")).peers()) {
                var rate =
                        m.flops() > 0
                                ? "%.0f TFLOP/s".formatted(m.flops() / m.milliseconds() / 1e9)
                                : "%.0f GB/s".formatted(m.bytes() / m.milliseconds() / 1e6);
                lines.add(
                        new Line(
                                m.name(),
                                new Result(m.milliseconds(), 0),
                                rate,
                                Optional.ofNullable(others.get(m.name()))));
            }
        }
        System.out.printf(Locale.ROOT, "%n%-46s %s%n", "", "Ebb, then PyTorch");
        lines.forEach(l -> System.out.println(l.show()));
        System.out.println("losses at all budgets " + (same ? "have the same bits" : "DIFFER"));
        var file = folder.resolve("cuda.json");
        var all = lines.stream().map(Line::json).toList();
        Files.writeString(
                file,
                "{\"device\": \"%s\", \"results\": [\n  %s\n]}\n"
                        .formatted(cuda.describe(), String.join(",\n  ", all)));
        System.out.println("written to " + file.toAbsolutePath());
    }

    /** What the peer's program prints: a name, milliseconds and GiB, with tabs between them. */
    private static Map<String, Result> peers(Path program)
            throws IOException, InterruptedException {
        var found = new LinkedHashMap<String, Result>();
        Process process;
        try {
            process =
                    new ProcessBuilder("python3", program.toString())
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
        } catch (IOException e) {
            System.out.println("without PyTorch: there is no python3 (" + e.getMessage() + ")");
            return found;
        }
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                System.out.println("PyTorch: " + line.replace('\t', ' '));
                var parts = line.split("\t", -1);
                if (parts.length != 3) continue;
                var ms = Double.parseDouble(parts[1]);
                found.put(parts[0], new Result(ms, Double.parseDouble(parts[2])));
            }
        }
        if (process.waitFor() != 0) {
            System.out.println("PyTorch's program ended with an error; what it printed is kept");
        }
        return found;
    }
}
