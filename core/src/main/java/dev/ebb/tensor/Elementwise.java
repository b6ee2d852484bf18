package dev.ebb.tensor;

import static dev.ebb.tensor.Literals.lit;

import dev.ebb.ir.DType;
import dev.ebb.ir.Scalar;

/** Arithmetic: the ops most other derivatives are written with. */
final class Elementwise {
    private Elementwise() {}

    record Neg() implements Unary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

        @Override
        public Scalar at(Scalar x) {
            return x.neg();
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.neg();
        }
    }

    record Exp() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.exp();
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(y);
        }
    }

    record Log() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.log();
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.div(x);
        }
    }

    record Tanh() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.tanh();
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(y.square().neg().add(1));
        }
    }

    record Sin() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Scalar.Fn1.SIN);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.cos());
        }
    }

    record Cos() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.apply(Scalar.Fn1.COS);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.sin()).neg();
        }
    }

    record Sqrt() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.sqrt();
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.div(y.mul(2));
        }
    }

    record Square() implements Unary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

        @Override
        public Scalar at(Scalar x) {
            return x.mul(x);
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return dy.mul(x.mul(2));
        }
    }

    /** Keeps one bit an element for its derivative. */
    record Relu() implements Unary {
        @Override
        public Scalar at(Scalar x) {
            return x.max(lit(0));
        }

        @Override
        public Tensor vjp(Tensor x, Tensor y, Tensor dy) {
            return Tensors.where(y.gt(y.literal(0)).cast(DType.BIT), dy, dy.literal(0));
        }
    }

    record Add() implements Binary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

        @Override
        public Scalar at(Scalar x, Scalar y) {
            return x.add(y);
        }

        @Override
        public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
            return new Pair(dz, dz);
        }
    }

    record Sub() implements Binary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

        @Override
        public Scalar at(Scalar x, Scalar y) {
            return x.sub(y);
        }

        @Override
        public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
            return new Pair(dz, dz.neg());
        }
    }

    record Mul() implements Binary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

        @Override
        public Scalar at(Scalar x, Scalar y) {
            return x.mul(y);
        }

        @Override
        public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
            return new Pair(dz.mul(y), dz.mul(x));
        }
    }

    record Div() implements Binary {
        @Override
        public boolean accepts(DType type) {
            return !type.isTruth();
        }

        @Override
        public Scalar at(Scalar x, Scalar y) {
            return x.div(y);
        }

        @Override
        public Pair vjp(Tensor x, Tensor y, Tensor z, Tensor dz) {
            var dx = dz.div(y);
            return new Pair(dx, dx.mul(z).neg());
        }
    }
}
