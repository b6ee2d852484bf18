package dev.ebb.tensor;

import dev.ebb.ir.DType;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;

/** Constants: in elementwise bodies they take the type of the argument that they meet. */
public final class Literals {
    private Literals() {}

    /** A number of the operands' type, whichever that is. */
    public static Scalar lit(double value) {
        return new Scalar.Lit(DType.F64, value);
    }

    /** Refuses a number that elements of {@code type} do not hold. */
    public static void requireHeld(double value, Type type) {
        var dtype = type.dtype();
        if (!dtype.isFloat() && value != Math.rint(value)) {
            throw new ShapeException(
                    "%s meets %s, which holds whole numbers alone; cast to a float type first"
                            .formatted(value, type));
        }
        double end = dtype == DType.I64 ? 0x1p63 : 0x1p31;
        if (dtype.isInteger() && (value < -end || value >= end)) {
            throw new ShapeException(
                    "%s meets %s, which does not hold it; cast to a wider type first"
                            .formatted(value, type));
        }
    }

    /** {@code body} with its literals of the compute type of {@code type}. */
    public static Scalar typed(Scalar body, DType type) {
        return switch (body) {
            case Scalar.Lit(_, double x) -> new Scalar.Lit(type.compute(), x);
            case Scalar.Arg _, Scalar.Index _, Scalar.Position _ -> body;
            case Scalar.Un(var fn, var x) -> new Scalar.Un(fn, typed(x, type));
            case Scalar.Bin(var fn, var x, var y) ->
                    new Scalar.Bin(fn, typed(x, type), typed(y, type));
            case Scalar.Select(var c, var x, var y) ->
                    new Scalar.Select(typed(c, type), typed(x, type), typed(y, type));
            case Scalar.Cast(var to, var x) -> new Scalar.Cast(to, typed(x, type));
            case Scalar.Draw _ -> body;
        };
    }
}
