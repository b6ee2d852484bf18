package dev.ebb.cpu;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Scalar;

import java.util.List;

/** Bodies made to fit where they are stored. */
final class Stored {
    private Stored() {}

    /** {@code body}, cast where its type is not the one that {@code out} is computed in. */
    static Scalar as(Scalar body, List<? extends TileProgram.Source> args, Buffer out) {
        var type = body.type(args.stream().map(TileProgram.Source::dtype).toList());
        var wanted = out.dtype().compute();
        return type == wanted ? body : body.cast(wanted);
    }
}
