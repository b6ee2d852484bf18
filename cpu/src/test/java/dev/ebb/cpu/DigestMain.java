package dev.ebb.cpu;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.code.FusedMap;
import dev.ebb.cpu.tile.OperationList;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Fn1;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Type;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;

/**
 * Runs maps, folds, rows and generated loops some times over, on each number of threads that is
 * named, and prints a digest of the bits of the last run on each. Sizes are the smallest that have
 * more than one tile, or more than one tile of rows, and a remainder.
 */
final class DigestMain {
    private static final Scalar X = Scalar.arg(0);
    private static final Scalar Y = Scalar.arg(1);

    private DigestMain() {}

    public static void main(String[] args) {
        int times = Integer.parseInt(args[0]);
        for (int k = 1; k < args.length; k++) {
            try (var cpu = new Cpu(Integer.parseInt(args[k]))) {
                long digest = 0;
                for (int i = 0; i < times; i++) digest = digest(cpu);
                System.out.println("digest " + Long.toHexString(digest));
            }
        }
    }

    private static List<Scalar> bodies() {
        var bodies = new ArrayList<Scalar>();
        for (Fn1 fn : Fn1.values()) {
            if (fn != Fn1.NOT && fn != Fn1.IS_NAN) bodies.add(X.apply(fn));
        }
        bodies.add(X.mul(Y).add(X).max(Y).div(X.sub(Y)));
        bodies.add(X.gt(Y).select(X.exp(), Y.tanh().mul(X)));
        return bodies;
    }

    private static long digest(Cpu cpu) {
        long digest = 17;
        var flat = Shape.of(1100);
        var in = List.of(Direct.mixed(DType.F32, 1100, 1), Direct.mixed(DType.F32, 1100, 2));
        var views = List.of(View.contiguous(flat), View.contiguous(flat));
        for (Scalar body : bodies()) {
            var kernel = Kernel.Map.of(flat, views, body);
            digest = add(digest, Direct.run(cpu, kernel, in, new Type(DType.F32, flat)));
            digest = generated(digest, body);
        }
        for (Shape shape : List.of(Shape.of(3_001), Shape.of(5, 1500), Shape.of(150, 19))) {
            var x = List.of(Direct.calm(DType.F32, shape.size(), 3));
            for (int axis = 0; axis < shape.rank(); axis++) {
                var kernel =
                        new Kernel.Fold(
                                shape,
                                List.of(axis),
                                Kernel.Combine.SUM,
                                List.of(View.contiguous(shape)),
                                X.mul(X).exp());
                var out = new Type(DType.F32, shape.reduce(List.of(axis), false));
                digest = add(digest, Direct.run(cpu, kernel, x, out));
            }
        }
        for (Shape shape : List.of(Shape.of(3, 1500), Shape.of(11, 203), Shape.of(6, 256))) {
            for (var result : results()) digest = rows(digest, cpu, shape, result);
        }
        return digest;
    }

    /** The results of a rows kernel: the row, its mean and its variance. */
    private static List<RowParts.Result> results() {
        var normal = X.sub(Scalar.arg(3)).mul(Scalar.arg(5));
        return List.of(
                new RowParts.Elements(normal.mul(Y).add(X)),
                new RowParts.Elements(normal.exp().div(Y)),
                new RowParts.RowNumber(4),
                new RowParts.Columns(Kernel.Combine.SUM, normal.mul(X)));
    }

    private static long rows(long digest, Cpu cpu, Shape shape, RowParts.Result result) {
        int width = shape.dim(1);
        var n = new Scalar.Lit(DType.F32, width);
        var away = X.sub(Scalar.arg(3));
        var numbers =
                List.<RowParts.RowValue>of(
                        new RowParts.Fold(Kernel.Combine.SUM, X),
                        new RowParts.Apply(Scalar.arg(2).div(n)),
                        new RowParts.Fold(Kernel.Combine.SUM, away.mul(away)),
                        new RowParts.Apply(Scalar.arg(4).div(n).sqrt()),
                        new RowParts.Fold(Kernel.Combine.MAX, away.mul(Y)));
        var views = List.of(View.contiguous(shape), new View(0, List.of(0L, 1L)));
        var kernel = new Kernel.Rows(shape, 1, views, numbers, result);
        var in = List.of(Direct.calm(DType.F32, shape.size(), 4), Direct.calm(DType.F32, width, 5));
        var out =
                switch (result) {
                    case RowParts.Elements _ -> shape;
                    case RowParts.RowNumber _ -> Shape.of(shape.dim(0));
                    case RowParts.Columns _ -> Shape.of(width);
                };
        long sum = add(digest, Direct.run(cpu, kernel, in, new Type(DType.F32, out)));
        return add(sum, Direct.run(EAGER, kernel, in, new Type(DType.F32, out)));
    }

    private static long generated(long digest, Scalar body) {
        var shape = Shape.of(203);
        var in = List.of(Direct.mixed(DType.F32, 203, 1), Direct.mixed(DType.F32, 203, 2));
        var out = Direct.buffer(DType.F32, 203);
        var line = OperationList.of(List.of(body), List.of(DType.F32, DType.F32));
        var views = List.of(View.contiguous(shape), View.contiguous(shape));
        var map = FusedMap.of(line, shape, in, views, List.of(out), LOOPS);
        if (map.isEmpty()) return digest;
        map.get().entry().expect(1 << 24);
        var loop = map.get().entry().loops();
        if (loop != null) map.get().range(loop, new Tile(KernelScratchSizes.MOST), 0, 203);
        return add(digest, out);
    }

    private static final FusedLoops LOOPS = new FusedLoops();

    /** One device for all runs, so that its generated loops are JIT-compiled too. */
    private static final VectorCpu EAGER = new VectorCpu(1, FusedLoops.eager());

    /** All NaN count as equal, because their payload is unspecified. */
    private static long add(long digest, Buffer buffer) {
        long sum = digest;
        for (long i = 0; i < buffer.size(); i++)
            sum = sum * 31 + Double.doubleToLongBits(buffer.get(i));
        return sum;
    }
}
