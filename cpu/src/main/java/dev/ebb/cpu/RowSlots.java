package dev.ebb.cpu;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Where a tile holds the numbers of rows, and of how many rows at a time. Rows are taken together
 * so that what is done once for a number is done for many of them; but they should still be in the
 * cache when they are read again.
 *
 * @param operands how many arguments come before the numbers
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

    static RowSlots of(Kernel.Rows k, List<Buffer> in) {
        var types = k.types(in.stream().map(Buffer::dtype).toList());
        return new RowSlots(in.size(), types.subList(in.size(), types.size()), k.width());
    }

    /** How many rows are held at a time. */
    int rows() {
        long fit = Math.min(Tile.ROWS, MOST_ELEMENTS / Math.max(1, width));
        return Math.clamp(fit, 1, Tile.NUMBERS / types.size());
    }

    /** Where number {@code k} of the first row is, in the bank of its type. */
    int start(int k) {
        int bank = types.get(k) == DType.F32 ? Tile.SINGLES : Tile.DOUBLES;
        return bank + k * (Tile.NUMBERS / types.size());
    }

    int[] starts() {
        return IntStream.range(0, types.size()).map(this::start).toArray();
    }

    boolean areSingles() {
        return types.stream().allMatch(t -> t == DType.F32);
    }
}
