package dev.ebb.cuda;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Loop;
import dev.ebb.cuda.DeviceTraining.Room;
import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Host;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Whole programs on the first card, through the public interface. */
final class DevicePrograms {
    private static final DeviceGpt.Sizes TINY = new DeviceGpt.Sizes(2, 64, 4, 64, 4, 256);
    static final DeviceGpt.Sizes LARGE = new DeviceGpt.Sizes(12, 1024, 16, 1024, 16, 32768);
    private static final Room LEAST = Room.share("least", 0);
    private static final Room HALF = Room.share("half way to the least", 0.5);

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

    /** The device tests of core, then a loop and tiny models. */
    static void sweep(Path folder) throws IOException, InterruptedException {
        var cuda = card();
        boolean same;
        int failed = 0;
        try (var log = log(folder, "sweep.txt")) {
            var sweep = new DeviceSweep(log);
            failed += sweep.run(new CudaCampaignTest(), 40);
            failed += sweep.run(new CudaRandomGradientsTest(), 40);
            failed += sweep.run(new CudaSpecialValuesTest(), 20);
            failed += sweep.run(new CudaConventionsTest(), 20);
            failed += sweep.run(new CudaDeviceParityTest(), 40);
            failed += sweep.run(new CudaOpsDerivativesTest(), 20);
            failed += sweep.run(new CudaWideSumsTest(), 20);
            failed += sweep.run(new CudaModelsReferenceTest(), 20);
            failed += sweep.run(new CudaOpsReferenceTest(), 100);
            var programs = new DeviceTraining(log);
            same = loop(cuda, programs);
            var tensor = cuda.with(Precision.TF32);
            for (var type : List.of(DType.F32, DType.BF16)) {
                var gpt = DeviceGpt.gpt("tiny GPT", TINY, type);
                same &= programs.train(gpt, cuda, List.of(HALF, LEAST));
                var resnet = DeviceModels.resnet(4, 64, type);
                same &= programs.train(resnet, tensor, List.of(HALF));
                same &= programs.train(DeviceModels.unet(2, 32, type), tensor, List.of(LEAST));
            }
        }
        System.out.println(
                failed + " tests failed; bits at all budgets " + (same ? "the same" : "DIFFER"));
        System.exit(failed == 0 && same ? 0 : 1); // threads of tests that were late may be left
    }

    /** Every kernel of a training step by itself: how often, and how long. */
    static void profile(Path folder, List<String> names) throws IOException {
        var cuda = card().with(Precision.TF32);
        try (var log = log(folder, "profile.txt");
                var card = new OpenCard(Files.createTempDirectory("ebb-kernels"))) {
            for (var type : List.of(DType.F32, DType.BF16)) {
                var gpt = DeviceGpt.gpt("GPT", LARGE, type);
                if (names.isEmpty() || names.contains("gpt")) profile(gpt, cuda, card, log);
                if (names.contains("llama"))
                    profile(DeviceModels.llama(4, 4096, type), cuda, card, log);
                if (names.contains("resnet"))
                    profile(DeviceModels.resnet(256, 224, type), cuda, card, log);
                if (names.contains("unet"))
                    profile(DeviceModels.unet(16, 256, type), cuda, card, log);
            }
        }
    }

    private static <S, B> void profile(
            DeviceTraining.Workload<S, B> w, Device device, OpenCard card, PrintWriter log) {
        var plan = Ebb.stepper(w.step()).on(device).plan(w.state(), w.batch());
        new DeviceProfile(card, log).run(w.name(), plan);
    }

    /** A training step of a GPT of 12 layers and 219 million parameters. */
    static void gpt(Path folder) throws IOException {
        var cuda = card();
        boolean same;
        try (var log = log(folder, "gpt.txt")) {
            same = curves(cuda, new DeviceTraining(log));
        }
        System.out.println("bits at all budgets " + (same ? "the same" : "DIFFER"));
        System.exit(same ? 0 : 1);
    }

    /** The same at several budgets; whether all losses of a type have the same bits. */
    static boolean curves(Cuda cuda, DeviceTraining programs) {
        // the peaks that PyTorch reaches with budgets of its own, then the least
        boolean same =
                programs.train(
                        DeviceGpt.gpt("GPT", LARGE, DType.F32),
                        cuda.with(Precision.TF32),
                        List.of(Room.gibibytes(11.40), Room.gibibytes(9.03), LEAST));
        same &=
                programs.train(
                        DeviceGpt.gpt("GPT", LARGE, DType.BF16),
                        cuda.with(Precision.TF32),
                        List.of(Room.gibibytes(7.95), Room.gibibytes(6.91), LEAST));
        return same;
    }

    /**
     * One well-known model, in both precisions and in less memory; whether its losses have the same
     * bits in all budgets of a precision.
     */
    static boolean model(String name, Cuda cuda, DeviceTraining programs) {
        boolean same = true;
        var device = cuda.with(Precision.TF32);
        for (var type : List.of(DType.BF16, DType.F32)) {
            var rooms = type == DType.BF16 ? List.of(HALF, LEAST) : List.of(HALF);
            same &=
                    switch (name) {
                        case "llama" ->
                                programs.train(DeviceModels.llama(4, 4096, type), device, rooms);
                        case "resnet" ->
                                programs.train(DeviceModels.resnet(256, 224, type), device, rooms);
                        case "unet" ->
                                programs.train(DeviceModels.unet(16, 256, type), device, rooms);
                        default -> throw new IllegalArgumentException("no model " + name);
                    };
        }
        return same;
    }

    /**
     * A GPT in its least budget, and in half of that with pinned host memory; whether the losses
     * have the same bits.
     */
    static boolean pinned(Cuda cuda, DeviceTraining programs) {
        var device = cuda.with(Precision.TF32);
        boolean same = true;
        for (var type : List.of(DType.BF16, DType.F32)) {
            var gpt = DeviceGpt.gpt("GPT", LARGE, type);
            var plan = Ebb.stepper(gpt.step()).on(device).plan(gpt.state(), gpt.batch());
            long least = plan.leastBytes();
            var alone = programs.run(gpt, "least", Budget.bytes(least), device);
            var half = Budget.bytes(least / 2).with(Host.pinned(32L << 30));
            var beside = programs.run(gpt, "half of the least, pinned host memory", half, device);
            same &= Arrays.equals(alone, beside);
        }
        return same;
    }

    /** The gradient of a loop, at full memory and at the least; whether both have the same bits. */
    private static boolean loop(Device device, DeviceTraining programs) {
        var random = new SplittableRandom(3);
        var data = new float[64 * 64];
        for (int i = 0; i < data.length; i++) data[i] = (float) (random.nextDouble() - 0.5) / 4;
        var x = Array.of(Shape.of(64, 64), data);
        Fn<Tensor, Tensor> f = t -> Loop.repeat(100, t, h -> h.matmul(t).add(t).tanh()).sum();
        try (var full = Ebb.compile(Ebb.grad(f)).on(device)) {
            var expected = (Array) full.apply(x);
            long least = full.plan(x).leastBytes();
            try (var small = Ebb.compile(Ebb.grad(f)).within(Budget.bytes(least)).on(device)) {
                boolean same = small.apply(x).sameBits(expected);
                programs.say(
                        "loop of 100 rounds: %.2f ms at %d bytes, %.2f ms at %d bytes, %s bits",
                        full.report().seconds() * 1e3,
                        full.report().promisedBytes(),
                        small.report().seconds() * 1e3,
                        small.report().promisedBytes(),
                        same ? "the same" : "OTHER");
                return same;
            }
        } catch (RuntimeException e) {
            programs.fault("loop", e);
            return false;
        }
    }
}
