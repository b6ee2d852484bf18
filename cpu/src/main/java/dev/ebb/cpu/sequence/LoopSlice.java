package dev.ebb.cpu.sequence;

import dev.ebb.cpu.fold.AxisGroups;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * A kernel restricted to one index of its loop, which is one or several adjacent axes: the same
 * kernel without these axes. Its positions are those of the whole kernel at loop index zero.
 *
 * @param kernel the kernel at one loop index
 * @param inputs how each input is read
 * @param outputs the positions of a loop index's elements in each output
 */
record LoopSlice(Kernel kernel, List<Input> inputs, List<Rows> outputs) {

    /** An array {@code [outer, loop, inner]}. */
    record Rows(long outer, long inner) {
        long size() {
            return outer * inner;
        }
    }

    /**
     * @param loop the axes of the loop
     * @param strides by how much an input's element moves along each of them
     * @param address the element of the input that the sliced kernel reads at a position
     * @param touched all elements that are read at loop index zero
     */
    record Input(Shape loop, List<Long> strides, LongUnaryOperator address, List<Long> touched) {
        boolean isSteady() {
            for (int d = 0; d < loop.rank(); d++)
                if (loop.dim(d) > 1 && strides.get(d) != 0) return false;
            return true;
        }

        /** The inner size of the rows that are read, or -1 if the accesses are not rows. */
        long inner() {
            long inner = strides.getLast();
            long expected = inner;
            for (int d = loop.rank() - 1; d >= 0; d--) {
                if (loop.dim(d) > 1 && strides.get(d) != expected) return -1;
                expected *= loop.dim(d);
            }
            return inner > 0 ? inner : -1;
        }
    }

    LoopSlice {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    /** All ways to express {@code kernel} as a loop of {@code n} iterations. */
    static List<LoopSlice> of(Kernel kernel, long n) {
        var found = new ArrayList<LoopSlice>();
        switch (kernel) {
            case Kernel.Map k -> {
                if (k.bodies().stream().noneMatch(LoopSlice::knowsItsPlace))
                    for (var block : Block.all(k.shape(), n)) found.add(map(k, block));
            }
            case Kernel.Fold k -> {
                if (k.bodies().size() == 1 && !knowsItsPlace(k.body()))
                    for (var block : Block.all(k.shape(), n))
                        if (isRows(k, block)) found.add(fold(k, block));
            }
            case Kernel.Contract k -> {
                if (!knowsItsPlace(k.epilogue()))
                    for (var block : Block.all(k.batch(), n)) found.add(contract(k, block));
            }
            case Kernel.Assemble k -> {
                for (var block : Block.all(k.shape(), n))
                    if (k.parts().stream().allMatch(block::isWholeIn))
                        found.add(assemble(k, block));
            }
            case Kernel.Cut k -> {
                if (k.outer() == n) found.add(cutRows(k));
                else if (k.inner() == n) found.add(cutColumns(k));
            }
            case Kernel.Gather k -> {
                for (var block : Block.all(k.shape(), n))
                    if (block.isSteady(k.index())) found.add(gather(k, block));
            }
            case Kernel.Rows _,
                    Kernel.Scatter _,
                    Kernel.Cumulate _,
                    Kernel.Sort _,
                    Kernel.Opaque _ -> {}
        }
        return found;
    }

    /** Axes {@code from} to {@code to}, exclusive, of {@code shape}. */
    private record Block(Shape shape, int from, int to) {
        static List<Block> all(Shape shape, long n) {
            var found = new ArrayList<Block>();
            if (shape.size() == 0) return found;
            for (int from = 0; from < shape.rank(); from++) {
                if (shape.dim(from) == 1) continue;
                long size = 1;
                for (int to = from; to < shape.rank() && size < n; to++) {
                    size *= shape.dim(to);
                    if (size == n) found.add(new Block(shape, from, to + 1));
                }
            }
            return found;
        }

        Shape loop() {
            return new Shape(shape.dims().subList(from, to));
        }

        Shape without(Shape other) {
            return new Shape(without(other.dims()));
        }

        <T> List<T> without(List<T> all) {
            var rest = new ArrayList<>(all.subList(0, from));
            rest.addAll(all.subList(to, all.size()));
            return rest;
        }

        View without(View view) {
            return new View(view.offset(), without(view.strides()));
        }

        Rows rows(Shape whole) {
            long outer = 1;
            long inner = 1;
            for (int d = 0; d < from; d++) outer *= whole.dim(d);
            for (int d = to; d < whole.rank(); d++) inner *= whole.dim(d);
            return new Rows(outer, inner);
        }

        /** An operand that is iterated along {@code whole}, which contains the axes of this. */
        Input input(View view, Shape whole) {
            var rest = without(view);
            return new Input(
                    loop(),
                    view.strides().subList(from, to),
                    LongUnaryOperator.identity(),
                    touched(rest, without(whole)));
        }

        /** Whether a view has stride zero along the other axes. */
        boolean isSteady(View view) {
            for (int d = 0; d < shape.rank(); d++)
                if ((d < from || d >= to) && shape.dim(d) > 1 && view.stride(d) != 0) return false;
            return true;
        }

        boolean isWholeIn(View.Part part) {
            for (int d = from; d < to; d++)
                if (part.shape().dim(d) != shape.dim(d)
                        || part.start().get(d) != 0
                        || part.step().get(d) != 1) return false;
            return true;
        }
    }

    private static List<Long> touched(View view, Shape shape) {
        var all = new ArrayList<Long>();
        for (long p = 0; p < Math.min(shape.size(), UnrollLimits.MOST_FUNCTIONS); p++)
            all.add(KernelCode.at(view, shape, p));
        return all;
    }

    private static boolean knowsItsPlace(Scalar body) {
        return switch (body) {
            case Scalar.Index _, Scalar.Position _, Scalar.Draw _ -> true;
            case Scalar.Arg _, Scalar.Lit _ -> false;
            case Scalar.Un _, Scalar.Bin _, Scalar.Select _, Scalar.Cast _ ->
                    body.parts().stream().anyMatch(LoopSlice::knowsItsPlace);
        };
    }

    private static LoopSlice map(Kernel.Map k, Block block) {
        var views = k.operands().stream().map(block::without).toList();
        var rows = block.rows(k.shape());
        return new LoopSlice(
                new Kernel.Map(block.without(k.shape()), views, k.bodies()),
                k.operands().stream().map(v -> block.input(v, k.shape())).toList(),
                k.bodies().stream().map(_ -> rows).toList());
    }

    /**
     * Whether the fold is over axes after the loop axes, so that its order depends on their sizes
     * alone.
     */
    private static boolean isRows(Kernel.Fold k, Block block) {
        if (k.axes().stream().anyMatch(axis -> axis < block.to())) return false;
        var groups = AxisGroups.of(k.shape(), k.axes());
        return groups.endsFolded()
                && groups.lastSize() <= FoldOrder.MOST
                && groups.withoutLast().all().stream().noneMatch(AxisGroups.Group::folded);
    }

    private static LoopSlice fold(Kernel.Fold k, Block block) {
        int fewer = block.to() - block.from();
        var rows = block.rows(k.shape());
        long folded = AxisGroups.of(k.shape(), k.axes()).lastSize();
        return new LoopSlice(
                new Kernel.Fold(
                        block.without(k.shape()),
                        k.axes().stream().map(axis -> axis - fewer).toList(),
                        k.combine(),
                        k.operands().stream().map(block::without).toList(),
                        k.body()),
                k.operands().stream().map(v -> block.input(v, k.shape())).toList(),
                List.of(new Rows(rows.outer(), rows.inner() / folded)));
    }

    private static LoopSlice contract(Kernel.Contract k, Block block) {
        var inputs = new ArrayList<Input>();
        inputs.add(block.input(k.a(), k.batch().append(k.m(), k.k())));
        inputs.add(block.input(k.b(), k.batch().append(k.k(), k.n())));
        var whole = k.shape();
        for (View v : k.extras()) inputs.add(block.input(v, whole));
        return new LoopSlice(
                new Kernel.Contract(
                        block.without(k.batch()),
                        k.m(),
                        k.n(),
                        k.k(),
                        block.without(k.a()),
                        block.without(k.b()),
                        k.extras().stream().map(block::without).toList(),
                        k.epilogue()),
                inputs,
                List.of(block.rows(whole)));
    }

    private static LoopSlice assemble(Kernel.Assemble k, Block block) {
        var parts = new ArrayList<View.Part>();
        var inputs = new ArrayList<Input>();
        for (var part : k.parts()) {
            var shape = block.without(part.shape());
            parts.add(
                    new View.Part(shape, block.without(part.start()), block.without(part.step())));
            var own = View.contiguous(part.shape());
            var rest = block.without(own);
            inputs.add(
                    new Input(
                            block.loop(),
                            own.strides().subList(block.from(), block.to()),
                            p -> KernelCode.at(rest, shape, p),
                            touched(rest, shape)));
        }
        return new LoopSlice(
                new Kernel.Assemble(block.without(k.shape()), k.fill(), parts),
                inputs,
                List.of(block.rows(k.shape())));
    }

    private static LoopSlice gather(Kernel.Gather k, Block block) {
        return new LoopSlice(
                new Kernel.Gather(
                        block.without(k.shape()),
                        block.without(k.data()),
                        block.without(k.index()),
                        k.stride(),
                        k.bound()),
                List.of(block.input(k.data(), k.shape()), block.input(k.index(), k.shape())),
                List.of(block.rows(k.shape())));
    }

    private static LoopSlice cutRows(Kernel.Cut k) {
        long all = k.sizes().stream().mapToLong(s -> s).sum() * k.inner();
        var touched = new ArrayList<Long>();
        for (long p = 0; p < Math.min(all, UnrollLimits.MOST_FUNCTIONS); p++) touched.add(p);
        return new LoopSlice(
                new Kernel.Cut(1, k.sizes(), k.inner()),
                List.of(
                        new Input(
                                Shape.of(k.outer()),
                                List.of(all),
                                LongUnaryOperator.identity(),
                                touched)),
                k.sizes().stream().map(s -> new Rows(1, (long) s * k.inner())).toList());
    }

    private static LoopSlice cutColumns(Kernel.Cut k) {
        long all = k.sizes().stream().mapToLong(s -> s).sum() * k.outer();
        var touched = new ArrayList<Long>();
        for (long p = 0; p < Math.min(all, UnrollLimits.MOST_FUNCTIONS); p++)
            touched.add(p * k.inner());
        return new LoopSlice(
                new Kernel.Cut(k.outer(), k.sizes(), 1),
                List.of(new Input(Shape.of(k.inner()), List.of(1L), p -> p * k.inner(), touched)),
                k.sizes().stream().map(s -> new Rows((long) s * k.outer(), 1)).toList());
    }
}
