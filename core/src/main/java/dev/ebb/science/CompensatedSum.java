package dev.ebb.science;

import dev.ebb.Ebb;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.List;

/**
 * Sums that carry the rounding errors along, for numbers that cancel: as if added in twice the
 * precision and rounded once (Knuth's exact sum of two, in a binary tree, as Kahan did for a
 * chain). Plain {@code sum} adds in a tree as well and is good enough where terms have one sign.
 */
public final class CompensatedSum {
    private CompensatedSum() {}

    /** The sum of all elements, as one number. */
    public static Tensor of(Tensor x) {
        Floats.require("CompensatedSum", x);
        var shape = x.shape();
        return Ebb.custom(
                        (Tensor in) -> sum(in.reshape(-1)),
                        (Tensor in, Tensor y, Tensor dy) -> dy.broadcastTo(shape))
                .apply(x);
    }

    private static Tensor sum(Tensor x) {
        Tensor high = x;
        Tensor low = x.mul(0);
        for (int n = x.dim(0); n > 1; n = (n + 1) / 2) {
            int half = n / 2;
            var a = high.slice(0, 0, half);
            var b = high.slice(0, half, 2 * half);
            var s = a.add(b);
            var of = s.sub(a);
            // the exact rounding error of s = a + b
            var lost = a.sub(s.sub(of)).add(b.sub(of));
            var rest = low.slice(0, 0, half).add(low.slice(0, half, 2 * half)).add(lost);
            boolean odd = n % 2 == 1;
            high = odd ? Tensors.concat(List.of(s, high.slice(0, n - 1, n)), 0) : s;
            low = odd ? Tensors.concat(List.of(rest, low.slice(0, n - 1, n)), 0) : rest;
        }
        return high.add(low).sum();
    }
}
