package dev.ebb.nn.optim;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.Tensorwise;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

/**
 * Loss scaling for f16, in which small gradients would underflow: the loss is multiplied by a
 * factor before it is differentiated, and the gradients are divided by it afterwards. A step whose
 * gradients overflow is skipped and halves the factor; many good steps in a row double it.
 *
 * @param scale the current factor
 * @param good the number of steps in a row without overflow, as f32
 */
public record LossScale(Tensor scale, Tensor good) {
    private static final double PATIENCE = 2000;

    public static LossScale of(double first) {
        return new LossScale(Array.scalar((float) first), Array.scalar(0f));
    }

    /** A loss, its unscaled gradients in at least f32, and whether all of them are finite. */
    public record Scaled<P>(Tensor value, P gradients, Tensor finite, LossScale next) {

        /** {@code after} if the gradients are finite, else {@code before}. */
        public <S> S chosen(S after, S before) {
            return Tensorwise.map(after, before, (a, b) -> Tensors.where(finite, a, b));
        }
    }

    public <P> Scaled<P> valueAndGrad(Fn<P, Tensor> loss, P params) {
        var scaled =
                Ebb.valueAndGrad(
                                (P p) -> {
                                    var value = loss.apply(p);
                                    return wide(value).mul(scale.cast(wide(value).dtype()));
                                })
                        .apply(params);
        // in at least f32: in f16 the unscaled gradients would underflow again, and the scale may
        // overflow
        var gradients =
                Tensorwise.map(scaled.grad(), g -> wide(g).div(scale.cast(wide(g).dtype())));
        // A sum is finite only if every term is; multiplied by zero it is 0 or NaN.
        var finite =
                Tensorwise.list(gradients).stream()
                        .map(g -> g.mul(0).sum().cast(scale.dtype()))
                        .reduce(Tensor::add)
                        .orElseThrow(() -> new IllegalArgumentException("there are no parameters"))
                        .eq(scale.literal(0));
        var value = scaled.value().div(scale.cast(scaled.value().dtype()));
        return new Scaled<>(value, gradients, finite, next(finite));
    }

    private static Tensor wide(Tensor x) {
        return x.cast(x.dtype().compute());
    }

    private LossScale next(Tensor finite) {
        var more = good.add(1);
        var patient = more.ge(more.literal(PATIENCE));
        var grown = Tensors.where(patient, scale.mul(2), scale);
        var counted = Tensors.where(patient, more.literal(0), more);
        return new LossScale(
                Tensors.where(finite, grown, scale.mul(0.5).maximum(1)),
                Tensors.where(finite, counted, more.literal(0)));
    }
}
