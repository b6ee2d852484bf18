package dev.ebb.cpu.fold;

import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.cpu.tile.TileForm;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.View;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where a tile holds the numbers of rows, and for how many rows at a time. Several rows are
 * processed together, so that the fixed cost of a number is shared; but they should still be in the
 * cache when they are read again.
 *
 * @param operands the number of arguments before the numbers
 * @param types the types of the numbers, f32 or f64
 * @param width the elements of a row
 */
record RowSlots(int operands, List<DType> types, long width) {
    private static final long MOST_ELEMENTS = 4096;

    RowSlots {
        types = List.copyOf(types);
        if (types.size() > Tile.NUMBERS) {
            throw new IllegalArgumentException(
                    types.size() + " numbers for each row; at most " + Tile.NUMBERS + " are held");
        }
        for (DType type : types) {
            if (type != DType.F32 && type != DType.F64) {
                throw new IllegalArgumentException(
                        "a number of type " + type + " for each row; only floats are held");
            }
        }
    }

    static RowSlots of(Kernel.Rows k, List<DType> in) {
        var types = k.types(in);
        return new RowSlots(in.size(), types.subList(in.size(), types.size()), k.width());
    }

    /** The number of rows processed at a time. */
    int rows() {
        long fit = Math.min(Tile.ROWS, MOST_ELEMENTS / Math.max(1, width));
        return Math.clamp(fit, 1, Tile.NUMBERS / types.size());
    }

    /** The location of number {@code k} of the first row, in the array of its type. */
    int start(int k) {
        return k * (Tile.NUMBERS / types.size());
    }

    /** The tile memory for the numbers and the lanes of rows. */
    KernelScratch scratch() {
        return KernelScratch.NOTHING
                .and(ScratchArray.F32, Tile.AFTER_LANES)
                .and(ScratchArray.F64, areSingles() ? 0 : Tile.NUMBERS)
                .and(ScratchArray.WALKS, 1);
    }

    /**
     * The program of a body over the elements of rows, or over the rows if {@code shape} is the
     * outer one.
     */
    TileForm form(Scalar body, Shape shape, List<DType> in, List<View> views) {
        var args = new ArrayList<TileForm.Arg>();
        for (int i = 0; i < in.size(); i++) {
            var view = views.get(i);
            var strides = view.strides().subList(0, shape.rank());
            args.add(new TileForm.Arg.Read(in.get(i), new View(view.offset(), strides)));
        }
        for (DType type : types) args.add(new TileForm.Arg.Given(type));
        return TileForm.of(List.of(body), shape, args, true);
    }

    int[] starts() {
        return IntStream.range(0, types.size()).map(this::start).toArray();
    }

    boolean areSingles() {
        return types.stream().allMatch(t -> t == DType.F32);
    }
}
