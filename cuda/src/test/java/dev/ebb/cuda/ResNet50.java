package dev.ebb.cuda;

import dev.ebb.Ebb;
import dev.ebb.ir.Shape;
import dev.ebb.nn.BatchNorm;
import dev.ebb.nn.Init;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Seed;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Conv;
import dev.ebb.tensor.network.Pool;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** ResNet-50 (He et al., 2015) in training: its norms use the statistics of the batch. */
record ResNet50(Unit stem, List<Part> parts, Linear head) {

    /** A convolution without bias, and a norm. */
    record Unit(Tensor kernel, BatchNorm norm, Conv geometry) {
        static Unit of(int inputs, int outputs, int size, int stride, Seed seed) {
            return new Unit(
                    Init.heUniform(inputs * size * size)
                            .of(Shape.of(outputs, inputs, size, size), seed),
                    BatchNorm.of(outputs),
                    Conv.plain().stride(stride).padding(size / 2));
        }

        BatchNorm.Output train(Tensor x, BatchNorm.Statistics running) {
            return norm.train(x.conv2d(kernel, geometry), running);
        }

        BatchNorm.Statistics statistics() {
            return BatchNorm.Statistics.of(norm.weight().dim(0));
        }
    }

    /** Three units around a shortcut. */
    record Part(List<Unit> units, Optional<Unit> shortcut) {
        List<Unit> all() {
            var all = new ArrayList<>(units);
            shortcut.ifPresent(all::add);
            return all;
        }
    }

    /** The running statistics of every norm, in the order of the units. */
    record Statistics(List<BatchNorm.Statistics> all) {}

    /** Scores of the classes, and the statistics after the batch. */
    record Output(Tensor logits, Statistics next) {}

    static ResNet50 of(Seed seed, int classes) {
        var parts = new ArrayList<Part>();
        int channels = 64;
        var depths = List.of(3, 4, 6, 3);
        for (int stage = 0; stage < depths.size(); stage++) {
            int width = 64 << stage;
            for (int b = 0; b < depths.get(stage); b++) {
                int stride = stage > 0 && b == 0 ? 2 : 1;
                var own = seed.of(parts.size());
                var units =
                        List.of(
                                Unit.of(channels, width, 1, 1, own.of("first")),
                                Unit.of(width, width, 3, stride, own.of("second")),
                                Unit.of(width, 4 * width, 1, 1, own.of("third")));
                Optional<Unit> shortcut =
                        b == 0
                                ? Optional.of(
                                        Unit.of(channels, 4 * width, 1, stride, own.of("shortcut")))
                                : Optional.empty();
                parts.add(new Part(units, shortcut));
                channels = 4 * width;
            }
        }
        return new ResNet50(
                Unit.of(3, 64, 7, 2, seed.of("stem")),
                parts,
                Linear.of(channels, classes, seed.of("head")));
    }

    Statistics statistics() {
        var all = new ArrayList<>(List.of(stem.statistics()));
        for (var part : parts) for (var unit : part.all()) all.add(unit.statistics());
        return new Statistics(all);
    }

    Output train(Tensor pictures, Statistics running) {
        var next = new ArrayList<BatchNorm.Statistics>();
        var first = stem.train(pictures, running.all().get(0));
        next.add(first.next());
        Tensor x = first.out().relu().maxPool(Pool.of(3, 3).stride(2, 2).padding(1, 1));
        for (int i = 0; i < parts.size(); i++) {
            var part = parts.get(i);
            var in = x;
            x = Ebb.region("block " + i, () -> block(part, in, running, next));
        }
        return new Output(head.apply(x.mean(List.of(2, 3), false)), new Statistics(next));
    }

    private static Tensor block(
            Part part, Tensor x, Statistics running, List<BatchNorm.Statistics> next) {
        Tensor y = x;
        for (int i = 0; i < part.units().size(); i++) {
            var seen = part.units().get(i).train(y, running.all().get(next.size()));
            next.add(seen.next());
            y = i + 1 < part.units().size() ? seen.out().relu() : seen.out();
        }
        Tensor around = x;
        if (part.shortcut().isPresent()) {
            var seen = part.shortcut().get().train(x, running.all().get(next.size()));
            next.add(seen.next());
            around = seen.out();
        }
        return around.add(y).relu();
    }
}
