package dev.ebb.tensor;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Random numbers as scalar functions of a key and a position, so that any of them can be drawn
 * again at any time. Draws count up from zero; keys are derived from counters with the top bit set,
 * which no draw reaches.
 */
final class Draws {
    private Draws() {}

    private static final double TOP_BIT = -0x1p63;
    private static final int BERNOULLI_BITS = 24;

    /** The purpose of a derived key; different purposes never share a counter. */
    enum Purpose {
        FOLD(0),
        SPLIT(2);

        private final int word;

        Purpose(int word) {
            this.word = word;
        }
    }

    private static Scalar long64(double x) {
        return new Scalar.Lit(DType.I64, x);
    }

    private static Scalar joined(Scalar high, Scalar low) {
        var upper = high.cast(DType.I64).apply(Scalar.Fn2.SHL, long64(32));
        return upper.apply(Scalar.Fn2.OR, low.cast(DType.I64).and(long64(0xffffffffL)));
    }

    /** Word {@code which} of the {@code words} that each position of the shape has to itself. */
    private static Scalar word(Scalar key, int words, int which) {
        var first = new Scalar.Position().mul(long64(words));
        return new Scalar.Draw(key, first.add(long64(which)));
    }

    private static Scalar upper(Scalar word, int bits) {
        return word.apply(Scalar.Fn2.USHR, new Scalar.Lit(DType.I32, 32 - bits));
    }

    /** The number of words from which one number of a type is made. */
    private static int words(DType type) {
        return type == DType.F64 ? 2 : 1;
    }

    /** The number of bits after the point that a number of this type, below one, can represent. */
    private static int precision(DType type) {
        return switch (type) {
            case F64 -> 53;
            case F32 -> 24;
            case F16 -> 11;
            case BF16 -> 8;
            case I32, I64, U8, BOOL, BIT ->
                    throw new ShapeException(
                            "random numbers of " + type + "; draw floats, or bits");
        };
    }

    /** A whole number of {@link #precision} bits, as a float of {@code type}. */
    private static Scalar integer(DType type, Scalar key, int words, int which) {
        if (type != DType.F64) {
            return upper(word(key, words, which), precision(type)).cast(type);
        }
        var high = upper(word(key, words, which), 27).cast(type);
        var low = upper(word(key, words, which + 1), 26).cast(type);
        return high.mul(new Scalar.Lit(type, 0x1p26)).add(low);
    }

    private static Scalar real(DType type, double x) {
        return new Scalar.Lit(type.compute(), x);
    }

    /** A draw for every index of a shape; the operand is the key. */
    interface Draw extends ZeroDerivative {
        Type type();

        Scalar body(Scalar key);

        @Override
        default List<Type> infer(List<Type> in) {
            return List.of(type());
        }

        @Override
        default Kernel kernel(List<Type> in) {
            return Kernel.Map.of(
                    type().shape(), List.of(scalar(type().shape())), body(Scalar.arg(0)));
        }
    }

    private static View scalar(Shape shape) {
        return new View(0, Collections.nCopies(shape.rank(), 0L));
    }

    /** The key for a number. */
    record Derive(Purpose purpose) implements ZeroDerivative {
        @Override
        public List<Type> infer(List<Type> in) {
            return in.subList(0, 1);
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var counter =
                    Scalar.arg(1)
                            .apply(Scalar.Fn2.SHL, long64(2))
                            .apply(Scalar.Fn2.OR, long64(TOP_BIT))
                            .apply(Scalar.Fn2.OR, long64(purpose.word));
            var high = new Scalar.Draw(Scalar.arg(0), counter);
            var low = new Scalar.Draw(Scalar.arg(0), counter.add(long64(1)));
            var view = scalar(Shape.scalar());
            return Kernel.Map.of(Shape.scalar(), List.of(view, view), joined(high, low));
        }
    }

    record Bits(Shape shape) implements Draw {
        @Override
        public Type type() {
            return new Type(DType.I64, shape);
        }

        @Override
        public Scalar body(Scalar key) {
            return joined(word(key, 2, 0), word(key, 2, 1));
        }
    }

    record Uniform(Type type) implements Draw {
        @Override
        public Scalar body(Scalar key) {
            var dtype = type.dtype();
            double unit = Math.scalb(1.0, -precision(dtype));
            return integer(dtype, key, words(dtype), 0).mul(real(dtype, unit));
        }
    }

    /** Box and Muller's: a radius from one uniform number, an angle from another. */
    record Normal(Type type) implements Draw {
        @Override
        public Scalar body(Scalar key) {
            // sixteen-bit numbers are rounded at the end
            var wide = type.dtype() == DType.F64 ? DType.F64 : DType.F32;
            precision(type.dtype());
            int words = words(wide);
            double unit = Math.scalb(1.0, -precision(wide));
            // from above 0 to 1, so that its log is finite
            var first = integer(wide, key, 2 * words, 0).add(real(wide, 1)).mul(real(wide, unit));
            var second = integer(wide, key, 2 * words, words).mul(real(wide, 2 * Math.PI * unit));
            var radius = first.log().mul(real(wide, -2)).sqrt();
            return radius.mul(second.apply(Fn1.COS));
        }
    }

    /** By the inverse of the distribution function. */
    record Truncated(Type type, double low, double high) implements Draw {
        Truncated {
            if (!(low < high) || Double.isInfinite(low) || Double.isInfinite(high)) {
                throw new ShapeException(
                        ("truncated_normal between %s and %s: the bounds must be finite and in"
                                        + " order")
                                .formatted(low, high));
            }
        }

        private static double below(double x) {
            return Fn1.ERFC.apply(-x / Math.sqrt(2)) / 2;
        }

        @Override
        public Scalar body(Scalar key) {
            var wide = type.dtype() == DType.F64 ? DType.F64 : DType.F32;
            precision(type.dtype());
            double unit = Math.scalb(1.0, -precision(wide));
            double from = 2 * below(low) - 1;
            double to = 2 * below(high) - 1;
            var at =
                    integer(wide, key, words(wide), 0)
                            .mul(real(wide, (to - from) * unit))
                            .add(real(wide, from));
            var x = at.apply(Fn1.ERFINV).mul(real(wide, Math.sqrt(2)));
            return x.max(real(wide, low)).min(real(wide, high));
        }
    }

    private static Scalar below(Scalar word, double p) {
        var threshold = Math.rint(Math.scalb(p, BERNOULLI_BITS));
        return upper(word, BERNOULLI_BITS).lt(new Scalar.Lit(DType.I32, threshold));
    }

    record Bernoulli(Shape shape, double p) implements Draw {
        Bernoulli {
            if (!(p >= 0 && p <= 1)) {
                throw new ShapeException("bernoulli: a probability of " + p);
            }
        }

        @Override
        public Type type() {
            return new Type(DType.BOOL, shape);
        }

        @Override
        public Scalar body(Scalar key) {
            return below(word(key, 1, 0), p);
        }
    }

    /** Operands x and a key: the mask is drawn here and, by the same key, in the derivative. */
    record Dropout(double p) implements Differentiable {
        Dropout {
            if (!(p >= 0 && p < 1)) {
                throw new ShapeException(
                        "dropout with probability " + p + ": it must be from 0 on and below 1");
            }
        }

        @Override
        public List<Type> infer(List<Type> in) {
            if (!in.getFirst().dtype().isFloat()) {
                throw new ShapeException(
                        "dropout does not take " + in.getFirst() + "; cast it, for example to f32");
            }
            return in.subList(0, 1);
        }

        @Override
        public Kernel kernel(List<Type> in) {
            var x = in.getFirst();
            var views = new ArrayList<>(List.of(View.contiguous(x.shape()), scalar(x.shape())));
            var kept = Scalar.arg(0).mul(real(x.dtype(), 1 / (1 - p)));
            var body = below(word(Scalar.arg(1), 1, 0), p).select(real(x.dtype(), 0), kept);
            return Kernel.Map.of(x.shape(), views, body);
        }

        @Override
        public void vjp(Rule rule) {
            rule.add(0, rule.dout(0).apply(this, rule.in(1)));
        }
    }
}
