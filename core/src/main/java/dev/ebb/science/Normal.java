package dev.ebb.science;

import static dev.ebb.tensor.Literals.lit;

import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Scalar;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Unary;

/**
 * The standard normal distribution, element by element, for f32 and f64: each function is one
 * elementwise op with a derivative of its own. Shift and scale by hand: {@code
 * distribution(x.sub(mean).div(deviation))}.
 */
public final class Normal {
    private static final double ROOT_HALF = Math.sqrt(0.5);
    private static final double ROOT_TWO_PI = Math.sqrt(2 * Math.PI);
    private static final double LOG_ROOT_TWO_PI = 0.9189385332046727;

    private Normal() {}

    /** The density {@code exp(-x^2 / 2) / sqrt(2 pi)}. */
    public static Tensor density(Tensor x) {
        return Floats.require("Normal.density", x).apply(new Density());
    }

    /** The logarithm of the density. */
    public static Tensor logDensity(Tensor x) {
        return Floats.require("Normal.logDensity", x).square().mul(-0.5).sub(LOG_ROOT_TWO_PI);
    }

    /**
     * The probability of a draw of at most {@code x}. Its relative error in the left tail is that
     * of the argument's rounding, {@code x^2} units of it; {@code distribution(-x)} is the right
     * tail.
     */
    public static Tensor distribution(Tensor x) {
        return Floats.require("Normal.distribution", x).apply(new Distribution());
    }

    /** The logarithm of the distribution, also where the distribution itself is 0 or 1. */
    public static Tensor logDistribution(Tensor x) {
        double far = Floats.require("Normal.logDistribution", x).dtype() == DType.F64 ? -35 : -12;
        return x.apply(new LogDistribution(far));
    }

    /**
     * The number that a draw does not exceed with probability {@code p}; infinite at 0 and 1, NaN
     * outside.
     */
    public static Tensor quantile(Tensor p) {
        return Floats.require("Normal.quantile", p).apply(new Quantile());
    }

    private static Scalar square(Scalar x) {
        return x.mul(x);
    }

    private static Scalar densityAt(Scalar x) {
        return square(x).mul(lit(-0.5)).exp().mul(lit(1 / ROOT_TWO_PI));
    }

    private static Scalar distributionAt(Scalar x) {
        return x.mul(lit(-ROOT_HALF)).apply(Fn1.ERFC).mul(lit(0.5));
    }

    record Density() implements Unary {
        @Override
        public String name() {
            return "normal_density";
        }

        @Override
        public Scalar at(Scalar x) {
            return densityAt(x);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.mul(y).neg());
        }
    }

    record Distribution() implements Unary {
        @Override
        public String name() {
            return "normal_distribution";
        }

        @Override
        public Scalar at(Scalar x) {
            return distributionAt(x);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(density(x));
        }
    }

    /**
     * Left of {@code far}, where the distribution underflows, by its asymptotic series; right of
     * zero by log1p.
     */
    record LogDistribution(double far) implements Unary {
        @Override
        public String name() {
            return "normal_log_distribution";
        }

        @Override
        public Scalar at(Scalar x) {
            var left = distributionAt(x).log();
            var right = distributionAt(x.neg()).neg().log1p();
            return x.lt(lit(far)).select(series(x), x.gt(lit(0)).select(right, left));
        }

        /** 1 - u + 3 u^2 - 15 u^3 + 105 u^4, u = 1 / x^2, times the density over -x. */
        private static Scalar series(Scalar x) {
            var u = lit(1).div(square(x));
            var sum = u.mul(lit(105)).sub(lit(15));
            sum = sum.mul(u).add(lit(3)).mul(u).sub(lit(1)).mul(u);
            return square(x)
                    .mul(lit(-0.5))
                    .sub(lit(LOG_ROOT_TWO_PI))
                    .sub(x.neg().log())
                    .add(sum.log1p());
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(logDensity(x).sub(y).exp());
        }
    }

    record Quantile() implements Unary {
        @Override
        public String name() {
            return "normal_quantile";
        }

        @Override
        public Scalar at(Scalar p) {
            return p.apply(Fn1.NORMAL_QUANTILE);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(y.square().mul(0.5).exp().mul(ROOT_TWO_PI));
        }
    }
}
