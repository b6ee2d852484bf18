package dev.ebb.cpu.fold;

import dev.ebb.cpu.code.FusedLoops;
import dev.ebb.cpu.code.FusedRows;
import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileProgram;
import dev.ebb.cpu.tile.WarmupStep;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.RowParts;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Computes the numbers of some rows into a tile, one number after the other. */
final class RowNumbers {
    /** Computes one number of {@code count} rows. */
    private interface Maker {
        void make(Tile tile, long first, int count);

        default void expect(long elements) {}

        int most();
    }

    private final RowSlots slots;
    private final List<Maker> makers = new ArrayList<>();
    private final int rows;

    RowNumbers(Kernel.Rows k, List<Buffer> in, RowSlots slots, FusedLoops loops) {
        this.slots = slots;
        for (int i = 0; i < k.numbers().size(); i++) {
            makers.add(
                    switch (k.numbers().get(i)) {
                        case RowParts.Fold fold -> new Folding(fold, k, in, i, loops);
                        case RowParts.Apply(var body) -> new Applying(body, k, in, i);
                    });
        }
        rows = makers.stream().mapToInt(Maker::most).reduce(slots.rows(), Math::min);
    }

    /** The memory needed for each worker to compute the numbers. */
    static KernelScratch scratch(Kernel.Rows k, List<DType> in, RowSlots slots) {
        var scratch = slots.scratch();
        for (int i = 0; i < k.numbers().size(); i++) {
            scratch =
                    switch (k.numbers().get(i)) {
                        case RowParts.Fold(var combine, var body) -> {
                            var form = slots.form(body, k.shape(), in, k.operands());
                            var combiner = Combiner.of(combine, slots.types().get(i));
                            var tree = RowTree.scratch(slots.width(), form.length(), combiner);
                            yield scratch.and(form.scratch()).and(tree);
                        }
                        case RowParts.Apply(var body) ->
                                scratch.and(
                                        slots.form(body, k.outer(), in, k.operands()).scratch());
                    };
        }
        return scratch;
    }

    /** The number of rows for which these numbers are computed at a time. */
    static int rows(Kernel.Rows k, List<DType> in, RowSlots slots) {
        int rows = slots.rows();
        for (var number : k.numbers()) {
            if (number instanceof RowParts.Apply(var body))
                rows = Math.min(rows, slots.form(body, k.outer(), in, k.operands()).length());
        }
        return rows;
    }

    /** The number of rows processed at a time. */
    int rows() {
        return rows;
    }

    void expect(long elements) {
        makers.forEach(m -> m.expect(elements));
    }

    /** Computes the numbers of {@code count} rows, at most {@link #rows}. */
    void make(Tile tile, long first, int count) {
        tile.firstRow = first;
        tile.lastRow = first + count;
        for (Maker maker : makers) maker.make(tile, first, count);
    }

    private final class Folding implements Maker {
        private final RowBody body;
        private final RowTree tree;
        private final Optional<RowRuns> runs;
        private final Combiner combiner;
        private final boolean single;
        private final int to;

        Folding(RowParts.Fold fold, Kernel.Rows k, List<Buffer> in, int number, FusedLoops loops) {
            var type = slots.types().get(number);
            body = RowBody.of(fold.body(), k, in, slots, loops);
            combiner = Combiner.of(fold.combine(), type);
            tree = new RowTree(body, combiner);
            runs = RowRuns.fold(body.line(), fold.combine(), k, in, slots, loops);
            single = type == DType.F32;
            to = slots.start(number);
        }

        @Override
        public int most() {
            return Tile.NUMBERS;
        }

        @Override
        public void expect(long elements) {
            if (runs.isPresent()) runs.get().entry().expect(elements);
            else body.expect(elements);
        }

        @Override
        public void make(Tile tile, long first, int count) {
            var fused = runs.orElse(null);
            var loop = fused == null ? null : fused.entry().loop();
            if (fused == null || loop == null || !(combiner instanceof F32Combiner f32)) {
                plain(tile, first, count);
            } else if (fused.entry().state().isHot()) {
                fused(fused, loop, f32, tile, first, count);
            } else {
                warm(fused, loop, f32, tile, first, count);
            }
        }

        /**
         * The loop computes a little of each row, in one call per row because the JIT counts calls;
         * the program computes everything. Occasionally the loop computes as much, timed.
         */
        private void warm(
                RowRuns fused, FusedRows loop, F32Combiner f32, Tile tile, long first, int count) {
            var state = fused.entry().state();
            boolean trial = count * slots.width() >= WarmupStep.TIMED && state.isTimeToMeasure();
            int width = (int) slots.width();
            int some = trial ? width : state.isHopeless() ? 0 : Math.min(width, WarmupStep.SAMPLE);
            long start = System.nanoTime();
            if (trial) fused(fused, loop, f32, tile, first, count);
            else for (int r = 0; r < count; r++) fused.fold(loop, tile, first + r, 1, 0, some);
            long turn = System.nanoTime();
            plain(tile, first, count);
            double all = System.nanoTime() - turn;
            state.note(trial, (double) (turn - start) / some, all / width);
        }

        private void fused(
                RowRuns fused, FusedRows loop, F32Combiner f32, Tile tile, long first, int count) {
            int width = (int) slots.width();
            if (width > Tile.LENGTH) {
                for (int r = 0; r < count; r++) blocks(fused, loop, f32, tile, first, r);
                return;
            }
            fused.fold(loop, tile, first, count, 0, width);
            int apart = RowRuns.apart(width);
            for (int r = 0; r < count; r++)
                tile.f32[to + r] = f32.tree(tile.f32, Tile.LANES + r * apart, apart);
        }

        private void blocks(
                RowRuns fused, FusedRows loop, F32Combiner f32, Tile tile, long first, int r) {
            int width = (int) slots.width();
            int count = 0;
            for (int at = 0; at < width; at += Tile.LENGTH) {
                int n = Math.min(Tile.LENGTH, width - at);
                fused.fold(loop, tile, first + r, 1, at, n);
                float value = f32.tree(tile.f32, Tile.LANES, RowRuns.apart(n));
                count = tree.carry(tile, count, Float.floatToRawIntBits(value));
            }
            tile.f32[to + r] = Float.intBitsToFloat((int) tree.total(tile, count));
        }

        private void plain(Tile tile, long first, int count) {
            int width = (int) slots.width();
            if (body.rows() > 1 && body.isPlain()) {
                severalRows(tile, first, count, width);
                return;
            }
            body.begin(tile, Math.min(body.length(), width));
            for (int r = 0; r < count; r++)
                put(tile, r, tree.fold(tile, (first + r) * width, width));
        }

        private void severalRows(Tile tile, long first, int count, int width) {
            body.begin(tile, body.length());
            for (int r = 0; r < count; r += body.rows()) {
                int some = Math.min(body.rows(), count - r);
                body.plain(tile, (first + r) * width, some * width);
                for (int j = 0; j < some; j++) {
                    int from = body.result() + j * width;
                    put(tile, r + j, combiner.register(tile, from, width));
                }
            }
        }

        private void put(Tile tile, int r, long value) {
            if (single) tile.f32[to + r] = Float.intBitsToFloat((int) value);
            else tile.f64[to + r] = Double.longBitsToDouble(value);
        }
    }

    private final class Applying implements Maker {
        private final TileProgram program;
        private final boolean single;
        private final int to;

        Applying(Scalar body, Kernel.Rows k, List<Buffer> in, int number) {
            var sources = new ArrayList<TileProgram.Source>();
            for (int i = 0; i < in.size(); i++) {
                var view = k.operands().get(i);
                var once = new View(view.offset(), view.strides().subList(0, k.leading()));
                sources.add(new TileProgram.Source.Memory(in.get(i), once));
            }
            for (DType type : slots.types()) sources.add(new TileProgram.Source.Given(type));
            program = new TileProgram(List.of(body), k.outer(), sources, true);
            single = slots.types().get(number) == DType.F32;
            to = slots.start(number);
        }

        @Override
        public int most() {
            return program.length();
        }

        @Override
        public void make(Tile tile, long first, int count) {
            for (int j = 0; j < slots.types().size(); j++) {
                int register = program.given(slots.operands() + j);
                if (register >= 0)
                    copy(tile, slots.types().get(j) == DType.F32, slots.start(j), register, count);
            }
            program.begin(tile, count);
            program.run(tile, first, count);
            copy(tile, single, program.result(0), to, count);
        }

        private static void copy(Tile tile, boolean single, int from, int to, int count) {
            if (single) System.arraycopy(tile.f32, from, tile.f32, to, count);
            else System.arraycopy(tile.f64, from, tile.f64, to, count);
        }
    }
}
