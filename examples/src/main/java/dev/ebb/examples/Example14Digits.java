package dev.ebb.examples;

import dev.ebb.Fn;
import dev.ebb.nn.Conv2d;
import dev.ebb.nn.Linear;
import dev.ebb.nn.Seed;
import dev.ebb.nn.optim.AdamW;
import dev.ebb.nn.train.Loss;
import dev.ebb.nn.train.Metric;
import dev.ebb.nn.train.Network;
import dev.ebb.nn.train.Trainer;
import dev.ebb.nn.train.TrainingResult;
import dev.ebb.plan.Budget;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.network.Pool;

import java.io.IOException;

/** A convolutional network that reads digits, trained and evaluated in one budget. */
public final class Example14Digits {
    private Example14Digits() {}

    // [digits
    /** Two convolutions, each halving the picture, and a linear layer. */
    public record Cnn(Conv2d first, Conv2d second, Linear head) implements Fn<Tensor, Tensor> {
        static Cnn of(Seed seed) {
            return new Cnn(
                    Conv2d.same(1, 8, 3, seed.of(1)),
                    Conv2d.same(8, 16, 3, seed.of(2)),
                    Linear.of(16 * 4 * 4, 10, seed.of(3)));
        }

        @Override
        public Tensor apply(Tensor x) {
            var half = first.apply(x).relu().maxPool(Pool.of(2, 2));
            var quarter = second.apply(half).relu().maxPool(Pool.of(2, 2));
            return head.apply(quarter.reshape(x.dim(0), 16 * 4 * 4));
        }
    }

    static TrainingResult<Cnn, Network.None> train() throws IOException {
        return Trainer.of(Cnn.of(new Seed(1)), Loss.crossEntropy())
                .on(Digits.draw(2000, new Seed(2)), 32)
                .validating(Digits.draw(300, new Seed(3)), Metric.accuracy())
                .optimizer(AdamW.of(0.004))
                .within(Budget.of("2MiB"))
                .epochs(4)
                .progress(System.out::println)
                .train();
    }

    // digits]

    public static void main(String[] args) throws IOException {
        var trained = train();
        System.out.println(
                "promised %d bytes, measured %d"
                        .formatted(trained.promisedBytes(), trained.measuredBytes()));
    }
}
