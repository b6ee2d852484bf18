package dev.ebb.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs all benchmarks, or those named, each in a separate process; prints the new figures next to
 * those in the page (bench/README.md), and writes them into the page with date, commit and
 * processor. If a figure misses its threshold, the figures are still written, and the exit status
 * is 1.
 */
public final class All {
    private static final Path PAGE = Path.of("README.md");

    private All() {}

    /** Every benchmark with arguments that make it take minutes instead of hours. */
    static Map<String, String> benchmarks() {
        var all = new LinkedHashMap<String, String>();
        all.put("Tapes", "4000");
        all.put("Tiny", "200");
        all.put("kernel.DoubleFunctions", "400 1000000");
        all.put("kernel.FusedBench", "");
        all.put("kernel.GemmBench", "");
        all.put("kernel.AttentionBench", "");
        all.put("Training", "12 105 80");
        all.put("Threads", "8 1 2 4 8 16");
        all.put("Budgets", "6 4");
        all.put("Planning", "12 48");
        all.put("ScanBodies", "8 12");
        all.put("CompileTime", "");
        all.put("Start", "3");
        all.put("StudioStart", "200");
        all.put("Arenas", "");
        all.put("LoopOffloading", "");
        all.put("LongLoops", "");
        all.put("Orbits", "");
        all.put("ReversibleStacks", "4 512 128 8 32 128");
        all.put("ReversibleTraining", "1000 3");
        all.put("SingleExamples", "15");
        all.put("Generation", "4 256 4 512 500");
        all.put("Campaign", "1 1000");
        all.put("adbench.AdBench", "gmm ba lstm hand");
        all.put("adbench.Tiling", "10 25 20 50");
        all.put("adbench.Grid", "gmm-1k gmm-10k ba lstm hand");
        return all;
    }

    /**
     * The name between whose markers the figures of a benchmark stand. Those of a machine with
     * other than two processors stand beside those of two.
     */
    static String place(String name, int processors) {
        return processors == 2 ? name : name + " on " + processors + " processors";
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        var all = benchmarks();
        for (var name : args) {
            if (!all.containsKey(name))
                throw new IllegalArgumentException(
                        "no benchmark is called " + name + "; there are " + all.keySet());
        }
        var names = args.length == 0 ? all.keySet() : List.of(args);
        var missed = new ArrayList<String>();
        for (var name : names) {
            var figures = new Figures(Files.readString(PAGE));
            var place = place(name, Runtime.getRuntime().availableProcessors());
            var before =
                    figures.of(place).map(String::lines).map(l -> l.toList()).orElse(List.of());
            var arguments = all.getOrDefault(name, "");
            var after = run(name, arguments);
            if (Thresholds.areFigures(after)) missed.add(name);
            System.out.println("== " + name + ": before -> after");
            Figures.beside(before, after).forEach(System.out::println);
            Files.writeString(PAGE, figures.with(place, block(name, arguments, after)).page());
        }
        if (missed.isEmpty()) return;
        System.out.println("bars are missed in " + String.join(", ", missed));
        System.exit(1);
    }

    private static List<String> run(String name, String arguments)
            throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--add-modules=jdk.incubator.vector");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add("dev.ebb.bench." + name);
        if (!arguments.isEmpty()) command.addAll(List.of(arguments.split(" ")));
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        var lines = text.lines().filter(l -> !l.isBlank()).toList();
        if (process.waitFor() != 0 && !Thresholds.areFigures(lines)) {
            System.out.print(text);
            throw new IllegalStateException(name + " failed; what it said is above");
        }
        return lines;
    }

    private static String block(String name, String arguments, List<String> lines)
            throws IOException, InterruptedException {
        return "`./ebb bench %s` (`%s`), %s, commit %s, %s, %d processors:\n\n```\n%s\n```\n"
                .formatted(
                        name,
                        (name + " " + arguments).strip(),
                        LocalDate.now(ZoneOffset.UTC),
                        commit(),
                        processor(),
                        Runtime.getRuntime().availableProcessors(),
                        String.join("\n", lines));
    }

    private static String commit() throws IOException, InterruptedException {
        var git =
                new ProcessBuilder("git", "describe", "--always", "--dirty", "--exclude=*")
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        var text = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return git.waitFor() == 0 && !text.isEmpty() ? text : "unknown";
    }

    private static String processor() throws IOException {
        var file = Path.of("/proc/cpuinfo");
        if (!Files.isReadable(file)) return System.getProperty("os.arch");
        try (var lines = Files.lines(file)) {
            return lines.filter(l -> l.startsWith("model name"))
                    .map(l -> l.substring(l.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        }
    }
}
