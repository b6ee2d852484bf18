package dev.ebb.nn.model;

import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.nn.Init;
import dev.ebb.nn.Seed;
import dev.ebb.tensor.Array;

import java.util.ArrayList;

/** Builds models whose matrices are zeros that share one memory. */
final class BlankModel {
    /** A seed for builders whose random draws are not used. */
    static final Seed ANY = new Seed(0);

    private BlankModel() {}

    /** Builds a model whose matrices are made by {@code init}. */
    interface Builder<M> {
        M build(Init init);
    }

    /** Runs the builder twice: first to find the shapes it needs, then with the zeros. */
    static <M> M of(Builder<M> builder) {
        var types = new ArrayList<Type>();
        var place = Array.scalar(0f);
        builder.build(
                (shape, _) -> {
                    types.add(new Type(DType.F32, shape));
                    return place;
                });
        var zeros = Array.zeros(types).iterator();
        return builder.build((_, _) -> zeros.next());
    }
}
