package dev.ebb.cpu.fold;

import dev.ebb.cpu.tile.ScratchArray;
import dev.ebb.cpu.tile.Tile;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel.Combine;

import java.lang.foreign.MemorySegment;

/**
 * How a fold combines elements of one type. The order is fixed, because floats are rounded: element
 * {@code i} of a row goes to lane {@code i mod 32} of 32 lanes, each lane combines its elements in
 * order, starting with the identity, and the lanes are combined in a fixed tree; columns are
 * combined row by row. No other class may choose an order.
 *
 * <p>A combined value is passed as 64 bits, so that folds do not depend on the type.
 */
abstract sealed class Combiner permits F32Combiner, F64Combiner, WholeCombiner {
    static final int LANES = Tile.FOLD_LANES;

    static Combiner of(Combine combine, DType type) {
        return switch (type) {
            case F32 -> new F32Combiner(combine);
            case F64 -> new F64Combiner(combine);
            case I32, BOOL -> new WholeCombiner(combine, type);
            case I64 -> new WholeCombiner(combine, type);
            case BF16, F16, U8, BIT ->
                    throw new IllegalArgumentException("no fold computes in " + type);
        };
    }

    /**
     * The bank of a tile with the blocks of this type; {@link #sums} is that of the accumulators.
     */
    abstract ScratchArray blocks();

    abstract ScratchArray sums();

    /** The result of combining no elements. */
    abstract long identity();

    abstract long combine(long x, long y);

    /** Stores a combined value. */
    abstract void set(Buffer out, long index, long value);

    /** Appends {@code n} elements of a register to the block, from its element {@code at} on. */
    abstract void gather(Tile tile, int from, int at, int n);

    /** Combines {@code n} elements of a register. */
    abstract long register(Tile tile, int from, int n);

    /** Combines the first {@code n} gathered elements. */
    abstract long block(Tile tile, int n);

    /** Sets the first {@code n} accumulators of a level to the identity. */
    abstract void clear(Tile tile, int level, int n);

    /** Combines a register's {@code n} elements into the accumulators of level 0, one each. */
    abstract void add(Tile tile, int from, int n);

    /** The same for several consecutive rows, from {@code from} on. */
    void addRows(Tile tile, int from, int rows, int n) {
        for (int j = 0; j < rows; j++) add(tile, from + j * n, n);
    }

    /** Combines a level's accumulators into the level above. */
    abstract void rise(Tile tile, int level, int n);

    /** The bytes of an accumulator in a workspace. */
    abstract int bytes();

    /** Writes the accumulators of level 1 to memory, from byte {@code at} on. */
    abstract void save(Tile tile, MemorySegment to, long at, int n);

    /** Reads back into level 1 what {@link #save} wrote. */
    abstract void recall(Tile tile, MemorySegment from, long at, int n);

    /** Stores the accumulators of level 2. */
    abstract void finish(Tile tile, Buffer out, long index, int n);
}
