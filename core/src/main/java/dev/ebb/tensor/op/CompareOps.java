package dev.ebb.tensor.op;

import static dev.ebb.tensor.op.Selection.common;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Inverse;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.ZeroDerivative;

import java.util.List;
import java.util.stream.IntStream;

/** Comparisons, which give truth values, and logic on them. */
public interface CompareOps {

    private Tensor compare(Scalar.Fn2 fn, Tensor y) {
        record Compare(Scalar.Fn2 fn) implements Selection.OfTwo {
            @Override
            public List<Type> infer(List<Type> in) {
                return List.of(new Type(DType.BOOL, common(name(), in)));
            }
        }
        return ((Tensor) this).apply(new Compare(fn), y);
    }

    default Tensor eq(Tensor y) {
        return compare(Scalar.Fn2.EQ, y);
    }

    default Tensor ne(Tensor y) {
        return compare(Scalar.Fn2.NE, y);
    }

    default Tensor lt(Tensor y) {
        return compare(Scalar.Fn2.LT, y);
    }

    default Tensor le(Tensor y) {
        return compare(Scalar.Fn2.LE, y);
    }

    default Tensor gt(Tensor y) {
        return compare(Scalar.Fn2.GT, y);
    }

    default Tensor ge(Tensor y) {
        return compare(Scalar.Fn2.GE, y);
    }

    default Tensor eq(double c) {
        return eq(((Tensor) this).literal(c));
    }

    default Tensor ne(double c) {
        return ne(((Tensor) this).literal(c));
    }

    default Tensor lt(double c) {
        return lt(((Tensor) this).literal(c));
    }

    default Tensor le(double c) {
        return le(((Tensor) this).literal(c));
    }

    default Tensor gt(double c) {
        return gt(((Tensor) this).literal(c));
    }

    default Tensor ge(double c) {
        return ge(((Tensor) this).literal(c));
    }

    private static Type logical(String op, Type x) {
        if (x.dtype().isFloat()) {
            throw new ShapeException(
                    op + " takes truth values or integers, not " + x + "; compare first: x.ne(0)");
        }
        return x;
    }

    /** And, or, exclusive or: of truth values, or bit by bit of integers. */
    private Tensor logic(Scalar.Fn2 fn, Tensor y) {
        record Logic(Scalar.Fn2 fn) implements Selection.OfTwo {
            @Override
            public List<Type> infer(List<Type> in) {
                var shape = common(name(), in);
                return List.of(logical(name(), in.getFirst()).with(shape));
            }

            // Exclusive or is its own inverse for operands that were not broadcast.
            @Override
            public List<Inverse> inverses(List<Type> in) {
                var out = infer(in).getFirst();
                return IntStream.range(0, fn == Scalar.Fn2.XOR ? 2 : 0)
                        .filter(i -> in.get(i).equals(out))
                        .mapToObj(i -> Inverse.exact(i, this, List.of(2, 1 - i)))
                        .toList();
            }
        }
        return ((Tensor) this).apply(new Logic(fn), y);
    }

    /** Both, of truth values; bit by bit of integers. */
    default Tensor and(Tensor y) {
        return logic(Scalar.Fn2.AND, y);
    }

    /** Either or both, of truth values; bit by bit of integers. */
    default Tensor or(Tensor y) {
        return logic(Scalar.Fn2.OR, y);
    }

    /** Either but not both, of truth values; bit by bit of integers. */
    default Tensor xor(Tensor y) {
        return logic(Scalar.Fn2.XOR, y);
    }

    /** The other truth value; every bit turned over of integers. */
    default Tensor not() {
        record Not() implements ZeroDerivative {
            @Override
            public List<Type> infer(List<Type> in) {
                return List.of(logical(name(), in.getFirst()));
            }

            @Override
            public Kernel kernel(List<Type> in) {
                var shape = in.getFirst().shape();
                return Kernel.Map.of(shape, List.of(View.contiguous(shape)), Scalar.arg(0).not());
            }

            @Override
            public List<Inverse> inverses(List<Type> in) {
                return List.of(Inverse.exact(0, this, List.of(1)));
            }
        }
        return ((Tensor) this).apply(new Not());
    }

    default Tensor isNan() {
        record IsNan() implements ZeroDerivative {
            @Override
            public List<Type> infer(List<Type> in) {
                if (!in.getFirst().dtype().isFloat()) {
                    throw new ShapeException("is_nan takes floats, not " + in.getFirst());
                }
                return List.of(in.getFirst().with(DType.BOOL));
            }

            @Override
            public Kernel kernel(List<Type> in) {
                var shape = in.getFirst().shape();
                var body = Scalar.arg(0).apply(Fn1.IS_NAN);
                return Kernel.Map.of(shape, List.of(View.contiguous(shape)), body);
            }
        }
        return ((Tensor) this).apply(new IsNan());
    }
}
