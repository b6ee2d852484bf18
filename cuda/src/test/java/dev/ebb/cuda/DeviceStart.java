package dev.ebb.cuda;

import dev.ebb.Ebb;
import dev.ebb.ir.DType;
import dev.ebb.plan.cache.PlanCache;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Measures the time from the start of a program to its first finished step: first with empty caches
 * of kernels and plans, then with the caches that the first start has filled. Each start is a
 * separate process.
 */
final class DeviceStart {
    private static final String TOLD = "first step after";

    private DeviceStart() {}

    /** Makes one step of the GPT and prints the time since the start of this process. */
    static void step(Path folder) {
        var cuda = new Cuda(0).with(Precision.TF32);
        Thread.startVirtualThread(
                cuda::contextBytes); // the driver's context is created in the meantime
        var gpt = DeviceGpt.gpt("GPT", DevicePrograms.LARGE, DType.BF16);
        double drawn = sinceStart();
        try (var stepper =
                Ebb.stepper(gpt.step())
                        .caching(PlanCache.in(folder.resolve("plans")))
                        .on(cuda)
                        .start(gpt.state(), gpt.batch())) {
            double ready = sinceStart();
            double loss = stepper.step(gpt.batch()).item();
            System.out.printf(
                    "weights drawn after %.2f s, ready after %.2f s, loss %.4f%n%s %.3f s%n",
                    drawn, ready, loss, TOLD, sinceStart());
        }
    }

    private static double sinceStart() {
        var start = ProcessHandle.current().info().startInstant().orElseThrow();
        return Duration.between(start, Instant.now()).toMillis() / 1e3;
    }

    /** The seconds of a first and of a second start, if they were printed. */
    static List<Double> both() throws IOException, InterruptedException {
        var home = Files.createTempDirectory("ebb-start");
        var found = new ArrayList<Double>();
        for (int i = 0; i < 2; i++) start(home).ifPresent(found::add);
        return found;
    }

    private static OptionalDouble start(Path home) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "--add-modules=jdk.incubator.vector",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Duser.home=" + home,
                        "-cp",
                        System.getProperty("java.class.path")));
        command.addAll(List.of(DeviceCheck.class.getName(), home.toString(), "start"));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("XDG_CACHE_HOME", home.toString());
        builder.environment().put("CUDA_CACHE_PATH", home.resolve("driver").toString());
        var process = builder.start();
        var told = OptionalDouble.empty();
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("WARNING")) System.out.println("  " + line);
                if (line.startsWith(TOLD))
                    told = OptionalDouble.of(Double.parseDouble(line.split(" ", -1)[3]));
            }
        }
        process.waitFor();
        return told;
    }
}
