package dev.ebb.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The same training steps with Ebb and with its peers, each in a process of its own, one after the
 * other: two of them bring a PyTorch, and only one fits a process. All take turns for some rounds,
 * and each keeps its best median, so that a slow minute of the machine is held against nobody.
 *
 * <p>Arguments: the steps that count, 12 unless given; the rounds, 3 unless given.
 */
public final class SideBySide {
    private static final List<Peer> PEERS =
            List.of(
                    new Peer(Training.class, List.of("--add-modules=jdk.incubator.vector")),
                    new Peer(TorchTraining.class, List.of("-Dorg.bytedeco.openblas.load=mkl")),
                    new Peer(
                            DjlTraining.class,
                            List.of("-Dai.djl.offline=true", "-DOPT_OUT_TRACKING=true")));

    private SideBySide() {}

    private record Peer(Class<?> program, List<String> options) {}

    public static void main(String[] args) throws IOException, InterruptedException {
        String steps = args.length > 0 ? args[0] : "12";
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 3;
        var timings = new ArrayList<Timing>();
        for (int round = 1; round <= rounds; round++) {
            System.out.printf("round %d of %d%n", round, rounds);
            for (var peer : PEERS) timings.addAll(run(peer, steps));
        }
        for (String model : List.of("MLP", "GPT")) compare(model, timings);
    }

    /** What a peer's process timed; what fails is said aloud, and the others go on. */
    private static List<Timing> run(Peer peer, String steps)
            throws IOException, InterruptedException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var command = new ArrayList<>(List.of(java, "--enable-native-access=ALL-UNNAMED"));
        command.addAll(peer.options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(peer.program.getName(), steps));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        String threads = String.valueOf(Workload.THREADS);
        builder.environment().put("OMP_NUM_THREADS", threads);
        builder.environment().put("MKL_NUM_THREADS", threads);
        // PyTorch runs on GNU's OpenMP; MKL on another would keep a second set of threads.
        builder.environment().put("MKL_THREADING_LAYER", "GNU");
        var process = builder.start();
        var timings = new ArrayList<Timing>();
        var said = new ArrayList<String>();
        try (var lines = process.inputReader()) {
            for (String line : (Iterable<String>) lines.lines()::iterator) {
                said.add(line);
                Timing.parse(line).ifPresent(timings::add);
                if (Timing.parse(line).isPresent()) System.out.println("  " + line);
            }
        }
        int code = process.waitFor();
        if (code != 0) {
            System.out.printf(
                    "  %s FAILED with exit code %d:%n", peer.program.getSimpleName(), code);
            said.forEach(line -> System.out.println("    " + line));
        }
        return timings;
    }

    private static void compare(String model, List<Timing> timings) {
        var names = timings.stream().map(Timing::contender).distinct().toList();
        for (String name : names.stream().filter(n -> !n.startsWith("Ebb")).toList()) {
            fastest(model, "Ebb", timings)
                    .ifPresent(
                            ebb ->
                                    fastest(model, name, timings)
                                            .ifPresent(peer -> tell(ebb, peer)));
        }
    }

    private static void tell(Timing ebb, Timing peer) {
        System.out.printf(
                Locale.ROOT,
                "%s: Ebb %.3f s a step, %s %.3f s; Ebb / peer = %.2f by median, %.2f by best%n",
                ebb.model(),
                ebb.median(),
                peer.contender(),
                peer.median(),
                ebb.median() / peer.median(),
                ebb.best() / peer.best());
    }

    private static Optional<Timing> fastest(String model, String contender, List<Timing> timings) {
        return timings.stream()
                .filter(t -> t.model().equals(model) && t.contender().equals(contender))
                .min(Comparator.comparingDouble(Timing::median));
    }
}
