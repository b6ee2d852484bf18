package dev.ebb.nn.model;

import dev.ebb.Ebb;
import dev.ebb.nn.BatchNorm;
import dev.ebb.nn.Conv2d;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Residual;
import dev.ebb.nn.Seed;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Pool;

import java.util.ArrayList;
import java.util.List;

/**
 * A small residual network for images [batch, channels, height, width]: a stem, a pool, blocks, a
 * mean over the image, a linear layer.
 */
public record ResNet(Conv2d stem, BatchNorm norm, List<Residual> blocks, Linear head) {

    /** The running statistics of all norms, the stem's first. */
    public record Statistics(BatchNorm.Statistics stem, List<List<BatchNorm.Statistics>> blocks) {}

    /** Scores of the classes, and the updated statistics. */
    public record Output(Tensor logits, Statistics next) {}

    /**
     * Blocks of the given widths; each that is wider than the one before halves height and width.
     */
    public static ResNet of(int inputs, List<Integer> widths, int classes, Seed seed) {
        var blocks = new ArrayList<Residual>();
        int channels = widths.getFirst();
        for (int i = 0; i < widths.size(); i++) {
            int next = widths.get(i);
            blocks.add(Residual.of(channels, next, next > channels ? 2 : 1, seed.of(i)));
            channels = next;
        }
        return new ResNet(
                Conv2d.same(inputs, widths.getFirst(), 3, seed.of("stem")),
                BatchNorm.of(widths.getFirst()),
                blocks,
                Linear.of(channels, classes, seed.of("head")));
    }

    public Statistics statistics() {
        return new Statistics(
                BatchNorm.Statistics.of(norm.weight().dim(0)),
                blocks.stream().map(Residual::statistics).toList());
    }

    public Output train(Tensor x, Statistics running) {
        var first = norm.train(stem.apply(x), running.stem);
        var y = first.out().relu().maxPool(Pool.of(2, 2));
        var next = new ArrayList<List<BatchNorm.Statistics>>();
        for (int i = 0; i < blocks.size(); i++) {
            var block = blocks.get(i);
            var in = y;
            var before = running.blocks.get(i);
            var seen = Ebb.region("block " + i, () -> block.train(in, before));
            y = seen.out();
            next.add(seen.next());
        }
        return new Output(scores(y), new Statistics(first.next(), next));
    }

    public Tensor apply(Tensor x, Statistics running) {
        var y = norm.apply(stem.apply(x), running.stem).relu().maxPool(Pool.of(2, 2));
        for (int i = 0; i < blocks.size(); i++) y = blocks.get(i).apply(y, running.blocks.get(i));
        return scores(y);
    }

    private Tensor scores(Tensor y) {
        return head.apply(y.mean(List.of(2, 3), false));
    }
}
