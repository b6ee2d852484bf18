package dev.ebb.nn.train;

import dev.ebb.Fn2;
import dev.ebb.Fn3;
import dev.ebb.Next;
import dev.ebb.tensor.Key;
import dev.ebb.tensor.Tensor;

/**
 * How a model computes its outputs, in training and in use.
 *
 * @param <M> the model: what is trained
 * @param <S> what it carries from batch to batch besides, such as running statistics
 */
public interface Network<M, S> {

    /**
     * In training: outputs for inputs, and the statistics after them. The key is the step's own.
     */
    Next<S, Tensor> train(M model, S statistics, Tensor x, Key key);

    /** In use: outputs for inputs. */
    Tensor apply(M model, S statistics, Tensor x);

    /** A model that carries nothing. */
    record None() {}

    /** A model that does the same in training and in use. */
    static <M> Network<M, None> of(Fn2<M, Tensor, Tensor> forward) {
        return of((m, x, _) -> forward.apply(m, x), forward);
    }

    /** A model that draws in training, as for dropout. */
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
