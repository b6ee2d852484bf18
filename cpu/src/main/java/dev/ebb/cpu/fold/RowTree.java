package dev.ebb.cpu.fold;

import dev.ebb.cpu.tile.KernelScratch;
import dev.ebb.cpu.tile.Tile;

/**
 * The order in which a row is folded. The row is split into blocks of 1024; the values of the
 * blocks are combined in a binary tree, like the carries of a binary counter: two values of one
 * level as soon as there are two. So the rounding error of a sum grows with the logarithm of its
 * length.
 */
record RowTree(FoldBody body, Combiner combiner) {

    /**
     * The memory for folding rows of {@code length} if a body's runs have {@code bodyLength}
     * elements.
     */
    static KernelScratch scratch(long length, int bodyLength, Combiner combiner) {
        boolean gathers = Math.min(length, Tile.LENGTH) > bodyLength;
        return gathers
                ? KernelScratch.NOTHING.and(combiner.blocks(), Tile.REGISTER)
                : KernelScratch.NOTHING;
    }

    /** Folds {@code length} elements from {@code position} on. */
    long fold(Tile tile, long position, long length) {
        if (length <= Tile.LENGTH) return block(tile, position, (int) length);
        int count = 0;
        for (long at = 0; at < length; at += Tile.LENGTH) {
            int n = (int) Math.min(Tile.LENGTH, length - at);
            count = carry(tile, count, block(tile, position + at, n));
        }
        return total(tile, count);
    }

    private long block(Tile tile, long position, int n) {
        if (n <= body.length()) {
            body.run(tile, position, n);
            return combiner.register(tile, body.result(), n);
        }
        for (int done = 0; done < n; done += body.length()) {
            int some = Math.min(body.length(), n - done);
            body.run(tile, position + done, some);
            combiner.gather(tile, body.result(), done, some);
        }
        return combiner.block(tile, n);
    }

    /** Adds one value to a tree of {@code count} values. */
    int carry(Tile tile, int count, long value) {
        int level = 0;
        long carried = value;
        for (int c = count; (c & 1) == 1; c >>= 1)
            carried = combiner.combine(tile.levels[level++], carried);
        tile.levels[level] = carried;
        return count + 1;
    }

    /**
     * The value of a tree of {@code count} values: combines the remaining values of all levels,
     * from the lowest up.
     */
    long total(Tile tile, int count) {
        int level = Integer.numberOfTrailingZeros(count);
        long value = tile.levels[level];
        for (int c = count >> (level + 1); c != 0; c >>= 1) {
            level++;
            if ((c & 1) == 1) value = combiner.combine(tile.levels[level], value);
        }
        return value;
    }
}
