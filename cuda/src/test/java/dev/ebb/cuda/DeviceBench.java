package dev.ebb.cuda;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The benchmark of a GPU: models at several budgets, single kernels, offloading to host memory, and
 * start-up, compared with PyTorch in the same run if {@code python3} has it. The table is printed,
 * and written as JSON line by line.
 */
final class DeviceBench {
    /** Milliseconds, and GiB at the peak where that was measured. */
    private record Result(double milliseconds, double peak) {}

    /**
     * One line of the table.
     *
     * @param name also used by the program that times PyTorch
     * @param rate as text
     */
    private record Line(String name, Result own, String rate, Optional<Result> peer) {
        String show() {
            return "%-60s %9.3f ms %7s %-14s %s"
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

        /** A row of the table in bench/README.md. */
        CardSection.Row row(LocalDate day) {
            return new CardSection.Row(
                    name,
                    List.of(
                            "%.3f".formatted(own.milliseconds),
                            own.peak > 0 ? "%.2f".formatted(own.peak) : "",
                            rate,
                            peer.map(Line::words).orElse(""),
                            peer.map(p -> "%.2f".formatted(own.milliseconds / p.milliseconds))
                                    .orElse(""),
                            day.toString()));
        }

        private static String words(Result peer) {
            var time = "%.3f".formatted(peer.milliseconds);
            return peer.peak > 0 ? time + " @ %.2f".formatted(peer.peak) : time;
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

    private static final List<String> PARTS =
            List.of("gpt", "kernels", "llama", "resnet", "unet", "pinned", "start");

    private final Path folder;
    private final Cuda cuda;
    private final Map<String, Result> others;
    private final List<Line> lines = new ArrayList<>();

    private DeviceBench(Path folder, Cuda cuda, Map<String, Result> others) {
        this.folder = folder;
        this.cuda = cuda;
        this.others = others;
    }

    /**
     * @param arguments the program that times PyTorch, if there is one, then the names of parts;
     *     all parts if none is named
     */
    static void run(Path folder, List<String> arguments) throws IOException, InterruptedException {
        boolean beside = !arguments.isEmpty() && arguments.getFirst().endsWith(".py");
        var named = arguments.subList(beside ? 1 : 0, arguments.size());
        var parts = named.isEmpty() ? PARTS : named;
        var others =
                beside
                        ? peers(Path.of(arguments.getFirst()), parts)
                        : new LinkedHashMap<String, Result>();
        var bench = new DeviceBench(folder, new Cuda(0), others);
        bench.write();
        for (var part : parts) {
            try (var log =
                    new PrintWriter(Files.newBufferedWriter(folder.resolve(part + ".txt")))) {
                bench.part(part, log);
            } catch (RuntimeException e) {
                System.out.println(part + " FAILED " + e);
                e.printStackTrace(System.out);
            }
        }
        System.out.printf(Locale.ROOT, "%n%-60s %s%n", "", "Ebb, then PyTorch");
        bench.lines.forEach(l -> System.out.println(l.show()));
        System.out.println("written to " + bench.file().toAbsolutePath());
        bench.section(Optional.ofNullable(System.getProperty("ebb.section")));
        System.exit(0); // threads of a part that failed may be left
    }

    private void part(String name, PrintWriter log) throws IOException, InterruptedException {
        var programs = new DeviceTraining(log);
        switch (name) {
            case "gpt" -> trained(DevicePrograms.curves(cuda, programs), programs);
            case "llama", "resnet", "unet" ->
                    trained(DevicePrograms.model(name, cuda, programs), programs);
            case "pinned" -> trained(DevicePrograms.pinned(cuda, programs), programs);
            case "kernels" -> kernels();
            case "start" -> {
                var seconds = DeviceStart.both();
                for (int i = 0; i < seconds.size(); i++)
                    add(
                            i == 0 ? "start with empty caches" : "second start",
                            new Result(seconds.get(i) * 1e3, 0),
                            "");
            }
            default -> throw new IllegalArgumentException("no part is called " + name);
        }
    }

    private void trained(boolean same, DeviceTraining programs) throws IOException {
        for (var run : programs.runs()) {
            var own = new Result(run.milliseconds(), run.peakBytes() / (double) (1 << 30));
            add(run.name(), own, run.kept() ? "as promised" : "NOT AS PROMISED");
        }
        programs.say("losses at all budgets %s", same ? "have the same bits" : "DIFFER");
    }

    private void kernels() throws IOException {
        try (var card = new OpenCard(Files.createTempDirectory("ebb-kernels"))) {
            for (var m : new DeviceRates(card, folder.resolve("rates.txt")).peers()) {
                var rate =
                        m.flops() > 0
                                ? "%.0f TFLOP/s".formatted(m.flops() / m.milliseconds() / 1e9)
                                : "%.0f GB/s".formatted(m.bytes() / m.milliseconds() / 1e6);
                add(m.name(), new Result(m.milliseconds(), 0), rate);
            }
        }
    }

    private void add(String name, Result own, String rate) throws IOException {
        lines.add(new Line(name, own, rate, Optional.ofNullable(others.get(name))));
        write();
    }

    /** Writes the measurements into the given text, and keeps those of other parts. */
    private void section(Optional<String> text) throws IOException {
        if (text.isEmpty()) return;
        var day = LocalDate.now(ZoneOffset.UTC);
        var rows = lines.stream().map(l -> l.row(day)).toList();
        CardSection.write(Path.of(text.get()), cuda.describe(), rows);
        System.out.println("and to " + text.get());
    }

    private Path file() {
        return folder.resolve("cuda.json");
    }

    /** Writes all lines so far: a run that is interrupted leaves those that it has reached. */
    private void write() throws IOException {
        var all = lines.stream().map(Line::json).toList();
        Files.writeString(
                file(),
                "{\"device\": \"%s\", \"results\": [\n  %s\n]}\n"
                        .formatted(cuda.describe(), String.join(",\n  ", all)));
    }

    /**
     * The output of the program that times PyTorch: a name, milliseconds and GiB, separated by
     * tabs.
     */
    private static Map<String, Result> peers(Path program, List<String> parts)
            throws IOException, InterruptedException {
        var found = new LinkedHashMap<String, Result>();
        var command = new ArrayList<>(List.of("python3", program.toString()));
        command.addAll(parts);
        Process process;
        try {
            process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
        } catch (IOException e) {
            System.out.println("without PyTorch: there is no python3 (" + e.getMessage() + ")");
            return found;
        }
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                System.out.println("PyTorch: " + line.replace('\t', ' '));
                var columns = line.split("\t", -1);
                if (columns.length != 3) continue;
                var ms = Double.parseDouble(columns[1]);
                found.put(columns[0], new Result(ms, Double.parseDouble(columns[2])));
            }
        }
        if (process.waitFor() != 0) {
            System.out.println("PyTorch's program ended with an error; what it printed is kept");
        }
        return found;
    }
}
