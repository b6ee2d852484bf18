package dev.ebb.nn.train;

import dev.ebb.Fn2;
import dev.ebb.Fn3;
import dev.ebb.Next;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

/**
 * The forward pass of a model, in training and in inference.
 *
 * @param <M> the model, which is trained
 * @param <S> state carried from batch to batch, such as running statistics
 */
public interface Network<M, S> {

    /** In training: outputs for inputs, and the updated statistics. Each step has its own key. */
    Next<S, Tensor> train(M model, S statistics, Tensor x, Key key);

    /** In inference: outputs for inputs. */
    Tensor apply(M model, S statistics, Tensor x);

    /** The statistics of a model that has none. */
    record None() {}

    /** A model that computes the same in training and in inference. */
    static <M> Network<M, None> of(Fn2<M, Tensor, Tensor> forward) {
        return of((m, x, _) -> forward.apply(m, x), forward);
    }

    /** A model with random draws in training, such as dropout. */
    static <M> Network<M, None> of(
            Fn3<M, Tensor, Key, Tensor> training, Fn2<M, Tensor, Tensor> use) {
        return new Network<>() {
            @Override
            public Next<None, Tensor> train(M model, None none, Tensor x, Key key) {
                return new Next<>(none, training.apply(model, x, key));
            }

            @Override
            public Tensor apply(M model, None none, Tensor x) {
                return use.apply(model, x);
            }
        };
    }
}
