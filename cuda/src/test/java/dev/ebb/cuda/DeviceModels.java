package dev.ebb.cuda;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.nn.Init;
import dev.ebb.nn.Rotary;
import dev.ebb.nn.Seed;
import dev.ebb.nn.model.Llama;
import dev.ebb.nn.model.UNet;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.optim.LearningRateSchedule;
import dev.ebb.nn.optim.Optimizer;
import dev.ebb.nn.optim.Precision;
import dev.ebb.nn.optim.Sgd;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Training steps of well-known models, in sizes typical for a GPU. */
final class DeviceModels {
    private DeviceModels() {}

    /** The shapes of Llama with 7 billion parameters, with fewer layers; one sequence. */
    static DeviceTraining.Workload<DeviceGpt.State<Llama>, DeviceGpt.Batch> llama(
            int layers, int context, DType type) {
        var config =
                new Llama.Config(
                        32000,
                        context,
                        4096,
                        layers,
                        32,
                        32,
                        128,
                        11008,
                        Rotary.of(1e4),
                        1e-5,
                        Llama.Variant.plain());
        var model = drawn(Llama.blank(config), 0.015);
        return DeviceGpt.language("Llama", model, 1, type);
    }

    /** The trained model and its data: both stay in GPU memory. */
    public record ImageState(
            ResNet50 model,
            ResNet50.Statistics statistics,
            Optimizer.State<ResNet50> optimizer,
            Tensor pictures,
            Tensor labels) {}

    /** ResNet-50 on images of 224 x 224, with the statistics of the batch and momentum. */
    static DeviceTraining.Workload<ImageState, Tensor> resnet(int batch, int size, DType type) {
        var model = ResNet50.of(new Seed(1), 1000);
        var shape = Shape.of(batch, 3, size, size);
        var labels = new SplittableRandom(6).ints(batch, 0, 1000).toArray();
        var sgd = new Sgd(LearningRateSchedule.constant(0.01), 0.9);
        return new DeviceTraining.Workload<>(
                "ResNet-50",
                type,
                new ImageState(
                        model,
                        model.statistics(),
                        sgd.start(model),
                        Init.uniform(1).of(shape, new Seed(2)),
                        Array.of(Shape.of(batch), labels)),
                Array.scalar(0f),
                (s, _) -> {
                    var seen =
                            Ebb.valueGradAndExtra(
                                            (ResNet50 m) -> {
                                                var own =
                                                        type == DType.F32
                                                                ? m
                                                                : Precision.rounded(m, type);
                                                var out =
                                                        own.train(
                                                                s.pictures().cast(type),
                                                                s.statistics());
                                                return new Ebb.WithExtra<>(
                                                        out.logits()
                                                                .cast(DType.F32)
                                                                .crossEntropy(s.labels()),
                                                        out.next());
                                            })
                                    .apply(s.model());
                    var moved = sgd.update(s.model(), seen.grad(), s.optimizer());
                    return new Next<>(
                            new ImageState(
                                    moved.params(),
                                    seen.extra(),
                                    moved.state(),
                                    s.pictures(),
                                    s.labels()),
                            seen.value());
                });
    }

    /** The trained model and its data. */
    public record MaskState(
            UNet model, Optimizer.State<UNet> optimizer, Tensor pictures, Tensor masks) {}

    /** A U-Net of 64 channels and four levels. */
    static DeviceTraining.Workload<MaskState, Tensor> unet(int batch, int size, DType type) {
        var model = drawn(UNet.of(3, 1, 64, 4, new Seed(1)), 0.05);
        var adam = AdamW.of(1e-4);
        return new DeviceTraining.Workload<>(
                "U-Net",
                type,
                new MaskState(
                        model,
                        adam.start(model),
                        Init.uniform(1).of(Shape.of(batch, 3, size, size), new Seed(2)),
                        Init.uniform(1).of(Shape.of(batch, 1, size, size), new Seed(3))),
                Array.scalar(0f),
                (s, _) -> {
                    var loss =
                            Ebb.valueAndGrad(
                                            (UNet m) -> {
                                                var own =
                                                        type == DType.F32
                                                                ? m
                                                                : Precision.rounded(m, type);
                                                return own.apply(s.pictures().cast(type))
                                                        .cast(DType.F32)
                                                        .sub(s.masks())
                                                        .square()
                                                        .mean();
                                            })
                                    .apply(s.model());
                    var moved = adam.update(s.model(), loss.grad(), s.optimizer());
                    return new Next<>(
                            new MaskState(moved.params(), moved.state(), s.pictures(), s.masks()),
                            loss.value());
                });
    }

    /** The same model with every matrix drawn anew, each from its own seed. */
    private static <M> M drawn(M model, double bound) {
        var count = new AtomicInteger();
        var seed = new Seed(1);
        return Tensorwise.map(
                model,
                t ->
                        t.rank() > 1
                                ? Init.uniform(bound)
                                        .of(t.shape(), seed.of(count.getAndIncrement()))
                                : t);
    }
}
