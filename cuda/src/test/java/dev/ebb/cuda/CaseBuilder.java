package dev.ebb.cuda;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Collects cases; operands are drawn from one seed, so that a list of cases is always the same. */
final class CaseBuilder {
    private static final double[] NOTABLE = {
        0.0,
        -0.0,
        1,
        -1,
        0.5,
        -0.5,
        2,
        -3,
        88.8,
        -104,
        1e-40,
        -1e-45,
        3.5,
        -2.5,
        127,
        255,
        256,
        1e10,
        -1e30,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY
    };

    final List<Case> cases = new ArrayList<>();
    final SplittableRandom random = new SplittableRandom(11);

    static double tolerance(DType type) {
        return switch (type) {
            case F32 -> 1e-5;
            case F64 -> 1e-10;
            case BF16 -> 2e-2;
            case F16 -> 2e-3;
            case I32, I64, U8, BOOL, BIT -> 0;
        };
    }

    /** Floats between -1 and 1, integers from zero up to a bound. */
    Buffer calm(DType type, long size, int bound) {
        var buffer = Case.buffer(type, size);
        for (long i = 0; i < size; i++) {
            if (type.isFloat()) buffer.set(i, random.nextDouble(-1, 1));
            else buffer.setLong(i, random.nextInt(type.isTruth() ? 2 : bound));
        }
        return buffer;
    }

    Buffer calm(DType type, long size) {
        return calm(type, size, 9);
    }

    /** Numbers of all kinds. */
    Buffer mixed(DType type, long size) {
        var buffer = Case.buffer(type, size);
        for (long i = 0; i < size; i++) {
            double x =
                    i % 3 == 1 ? NOTABLE[random.nextInt(NOTABLE.length)] : random.nextDouble(-4, 4);
            if (type.isFloat()) buffer.set(i, x);
            else if (type.isTruth()) buffer.setLong(i, random.nextInt(2));
            else buffer.setLong(i, i % 3 == 1 ? (long) x : random.nextInt(-9, 9));
        }
        return buffer;
    }

    void add(String form, String name, Kernel kernel, List<Buffer> in, Type... out) {
        double tolerance = 0;
        for (Type t : out) tolerance = Math.max(tolerance, tolerance(t.dtype()));
        cases.add(new Case(form, name, kernel, in, List.of(out), tolerance));
    }

    /** The elements a view of a shape reaches. */
    static long reach(Shape shape, View view) {
        long far = view.offset();
        for (int d = 0; d < shape.rank(); d++) {
            far += Math.max(0, view.stride(d)) * Math.max(0, shape.dim(d) - 1);
        }
        return far + 1;
    }

    Buffer along(DType type, Shape shape, View view) {
        return calm(type, reach(shape, view));
    }
}
