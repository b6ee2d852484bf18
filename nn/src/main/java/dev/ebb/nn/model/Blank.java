package dev.ebb.nn.model;

import dev.ebb.ir.DType;
import dev.ebb.ir.Type;
import dev.ebb.nn.Init;
import dev.ebb.nn.Seed;
import dev.ebb.tensor.Array;

import java.util.ArrayList;
import java.util.function.Function;

/** Models whose matrices are zeros that share one memory. */
final class Blank {
    /** For builders whose draws are not used. */
    static final Seed ANY = new Seed(0);

    private Blank() {}

    /** The builder runs twice: first to learn which shapes it asks for, then with the zeros. */
    static <M> M of(Function<Init, M> builder) {
        var types = new ArrayList<Type>();
        var place = Array.scalar(0f);
        builder.apply(
                (shape, _) -> {
                    types.add(new Type(DType.F32, shape));
                    return place;
                });
        var zeros = Array.zeros(types).iterator();
        return builder.apply((_, _) -> zeros.next());
    }
}
