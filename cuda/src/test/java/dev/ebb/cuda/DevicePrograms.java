package dev.ebb.cuda;

import dev.ebb.ir.DType;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Whole programs on the first card, through the public interface. */
final class DevicePrograms {
    private static final DeviceGpt.Sizes TINY = new DeviceGpt.Sizes(2, 64, 4, 64, 4, 256);
    private static final DeviceGpt.Sizes LARGE = new DeviceGpt.Sizes(12, 1024, 16, 1024, 16, 32768);

    private DevicePrograms() {}

    private static PrintWriter log(Path folder, String name) throws IOException {
        return new PrintWriter(Files.newBufferedWriter(folder.resolve(name)));
    }

    private static Cuda card() {
        var cuda = new Cuda(0);
        System.out.println(cuda.describe());
        System.out.printf("in use with a context: %d MiB%n", cuda.contextBytes() >> 20);
        return cuda;
    }

    /** The device tests of core, then a tiny model and a loop. */
    static void sweep(Path folder) throws IOException, InterruptedException {
        var cuda = card();
        boolean same;
        int failed = 0;
        try (var log = log(folder, "sweep.txt")) {
            var programs = new DeviceGpt(log);
            same = programs.loop(cuda);
            var budgets = List.of(DeviceGpt.share(0.5), DeviceGpt.share(0));
            same &= programs.train("tiny GPT", TINY, cuda, DType.F32, budgets);
            same &= programs.train("tiny GPT", TINY, cuda, DType.BF16, budgets);
            var sweep = new DeviceSweep(log);
            failed += sweep.run(new CudaWideSumsTest(), 20);
            failed += sweep.run(new CudaModelsReferenceTest(), 20);
            failed += sweep.run(new CudaOpsReferenceTest(), 100);
            failed += sweep.run(new CudaRandomGradientsTest(), 40);
            failed += sweep.run(new CudaSpecialValuesTest(), 20);
            failed += sweep.run(new CudaConventionsTest(), 20);
            failed += sweep.run(new CudaDeviceParityTest(), 40);
            failed += sweep.run(new CudaOpsDerivativesTest(), 20);
        }
        System.out.println(
                failed + " tests failed; bits at all budgets " + (same ? "the same" : "DIFFER"));
        System.exit(failed == 0 && same ? 0 : 1); // threads of tests that were late may be left
    }

    /** Every kernel of a training step by itself: how often, and how long. */
    static void profile(Path folder) throws IOException {
        var cuda = card().with(Precision.TF32);
        try (var log = log(folder, "profile.txt");
                var card = new OpenCard(Files.createTempDirectory("ebb-kernels"))) {
            for (var type : List.of(DType.F32, DType.BF16)) {
                var plan = new DeviceGpt(log).plan(LARGE, cuda, type);
                new DeviceProfile(card, log).run("GPT in " + type, plan);
            }
        }
    }

    /** A training step of a GPT of 12 layers and 219 million parameters. */
    static void gpt(Path folder) throws IOException {
        var cuda = card();
        boolean same;
        try (var log = log(folder, "gpt.txt")) {
            same = curves(cuda, new DeviceGpt(log));
        }
        System.out.println("bits at all budgets " + (same ? "the same" : "DIFFER"));
        System.exit(same ? 0 : 1);
    }

    /** The same at several budgets; whether all losses of a type have the same bits. */
    static boolean curves(Cuda cuda, DeviceGpt programs) {
        // the peaks that PyTorch reaches with budgets of its own, then the least
        var least = DeviceGpt.share(0);
        boolean same =
                programs.train(
                        "GPT of 12 layers",
                        LARGE,
                        cuda.with(Precision.TF32),
                        DType.F32,
                        List.of(DeviceGpt.gibibytes(11.40), DeviceGpt.gibibytes(9.03), least));
        same &=
                programs.train(
                        "GPT of 12 layers",
                        LARGE,
                        cuda.with(Precision.TF32),
                        DType.BF16,
                        List.of(DeviceGpt.gibibytes(7.95), DeviceGpt.gibibytes(6.91), least));
        return same;
    }
}
