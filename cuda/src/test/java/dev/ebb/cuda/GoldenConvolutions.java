package dev.ebb.cuda;

import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.cuda.text.Recipes;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Convolutions among the golden texts. */
final class GoldenConvolutions {
    private static final List<Integer> ONE = List.of(1, 1);
    private static final List<Integer> TWO = List.of(2, 2);

    private GoldenConvolutions() {}

    static void add(Map<String, Recipe> all) {
        for (var side : Kernel.Side.values()) {
            put(all, "", by(side, 2, 2, 3, 4, List.of(6, 7), List.of(3, 2), TWO, ONE), DType.F32);
            var wide = by(side, 4, 2, 24, 32, List.of(8, 9), List.of(3, 3), TWO, ONE);
            put(all, "tensor-", wide, DType.BF16);
            var none = List.of(0, 0);
            put(all, "product-", by(side, 4, 1, 24, 32, List.of(8, 9), ONE, ONE, none), DType.BF16);
            if (side != Kernel.Side.INPUT) {
                var few = by(side, 4, 1, 3, 32, List.of(16, 14), List.of(5, 5), TWO, TWO);
                put(all, "few-", few, DType.BF16);
            }
        }
        var none = List.of(0, 0);
        var straight = by(Kernel.Side.OUTPUT, 4, 1, 24, 32, List.of(6, 6), ONE, ONE, none);
        put(all, "straight-", straight, DType.BF16);
        var odd = by(Kernel.Side.WEIGHT, 4, 1, 24, 80, List.of(5, 5), List.of(3, 3), ONE, ONE);
        put(all, "across-", odd, DType.BF16);
        put(all, "tf32-", odd, DType.F32);
    }

    private static Kernel.Convolve by(
            Kernel.Side side,
            int batch,
            int groups,
            int in,
            int out,
            List<Integer> space,
            List<Integer> kernel,
            List<Integer> stride,
            List<Integer> low) {
        var result = new ArrayList<Integer>();
        for (int d = 0; d < space.size(); d++)
            result.add((space.get(d) + 2 * low.get(d) - kernel.get(d)) / stride.get(d) + 1);
        return new Kernel.Convolve(
                side, batch, groups, in, out, space, kernel, result, stride, low, ONE);
    }

    private static void put(Map<String, Recipe> all, String kind, Kernel.Convolve k, DType type) {
        all.put(
                "convolve-" + kind + k.side().name().toLowerCase(Locale.ROOT),
                Recipes.of(k, List.of(type, type), List.of(type), Precision.TF32).orElseThrow());
    }
}
