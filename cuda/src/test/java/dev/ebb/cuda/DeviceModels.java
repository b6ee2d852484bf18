package dev.ebb.cuda;

import dev.ebb.Ebb;
import dev.ebb.Next;
import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
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
        var init = new Drawn();
        var model =
                Tensorwise.map(
                        Llama.blank(config), t -> t.rank() > 1 ? init.of(t.shape(), 0.03) : t);
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
        var init = new Drawn();
        var model = ResNet50.of(init, 1000);
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
                        init.of(shape, 2),
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
        var init = new Drawn();
        var model =
                Tensorwise.map(
                        UNet.of(3, 1, 64, 4, new Seed(1)),
                        t -> t.rank() > 1 ? init.of(t.shape(), 0.1) : t);
        var adam = AdamW.of(1e-4);
        return new DeviceTraining.Workload<>(
                "U-Net",
                type,
                new MaskState(
                        model,
                        adam.start(model),
                        init.of(Shape.of(batch, 3, size, size), 2),
                        init.of(Shape.of(batch, 1, size, size), 2)),
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
}
