package dev.ebb.cpu.attend;

import dev.ebb.cpu.product.Blocks;
import dev.ebb.cpu.product.F32Blocks;
import dev.ebb.cpu.product.F32Pack;
import dev.ebb.ir.AttentionShape;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.View;

import java.util.Arrays;
import java.util.List;

/**
 * Tiles of attention scores, {@link #QUERIES} by {@link #KEYS}, in a worker's scratch. A tile is
 * stored key by key with the queries contiguous, so that a query is a vector lane (see {@link
 * SoftmaxLanes}), and a tile of probabilities already has the layout of the packed left factor of
 * the products that follow. Tiles start at multiples of their size for any number of threads; rows
 * and columns beyond the last query and key are computed but never used.
 */
final class AttentionScores {
    static final int QUERIES = 64;
    static final int KEYS = 64;
    static final int LANES = F32Blocks.LANES;
    private static final Blocks<float[]> BLOCKS = F32Blocks.BLOCKS;

    final AttentionShape heads;
    final HeadRows queries;
    final HeadRows keys;
    final HeadRows values;
    private final List<Buffer> mask;

    /**
     * @param views the views of q, k and v
     * @param in q, k, v, and the mask if there is one
     */
    AttentionScores(AttentionShape heads, List<View> views, List<Buffer> in) {
        this.heads = heads;
        queries = HeadRows.of(in.get(0), views.get(0), heads.heads());
        keys = HeadRows.of(in.get(1), views.get(1), heads.keyHeads());
        values = HeadRows.of(in.get(2), views.get(2), heads.keyHeads());
        mask = in.subList(3, 3 + heads.mask().size());
    }

    /** {@code width} rounded up to a multiple of the panel width. */
    static int padded(int width) {
        return Math.ceilDiv(width, LANES) * LANES;
    }

    /** The same for the widest vectors: an upper bound on any machine. */
    static int mostPadded(int width) {
        int most = Math.max(LANES, 32);
        return Math.ceilDiv(width, most) * most;
    }

    /**
     * The head of keys and values for a head of queries; heads are numbered through the whole
     * batch.
     */
    int keyHead(int head) {
        int group = heads.heads() / heads.keyHeads();
        return head / heads.heads() * heads.keyHeads() + head % heads.heads() / group;
    }

    /** The number of keys that the last query before {@code to} attends to. */
    int visible(int to) {
        if (!heads.causal()) return heads.keys();
        return Math.clamp((long) to + heads.keys() - heads.queries(), 0, heads.keys());
    }

    /**
     * Packs {@code rows} queries from {@code first} on, times the scale, as the right factor of
     * scores.
     */
    void packQueries(int head, int first, int rows, float[] x, int at) {
        int width = heads.width();
        long from = queries.at(head, first);
        F32Pack.PACK.panels(queries.buffer(), from, queries.row(), 1, rows, width, width, x, at);
        scale(x, at, padded(rows) * width, (float) heads.scale());
    }

    static void scale(float[] x, int at, int length, float by) {
        for (int i = at; i < at + length; i++) x[i] *= by;
    }

    /**
     * The causal limit in the tile of queries from {@code query} on and keys from {@code key} on:
     * query i of the tile attends to its keys j up to {@code i + reach}. The products skip most
     * pairs beyond this limit; which ones depends on shapes only.
     */
    int reach(int query, int key) {
        return heads.causal() ? query + heads.keys() - heads.queries() - key : KEYS;
    }

    /**
     * Adds the product of a tile's columns, one for each of {@code queries}, and the packed rows of
     * {@code keys} at {@code right}, whose panels hold {@link #KEYS}, to rows of {@code width} at
     * {@code to}: each group of four queries processes the keys that any of them attends to.
     */
    static void gather(
            float[] x, int tile, int queries, int keys, int reach, int right, int width, int to) {
        for (int j = 0; j < width; j += LANES) {
            int height;
            for (int i = 0; i < queries; i += height) {
                int seen = Math.min(keys, i + 4 + reach);
                // rows that attend to the same keys can be computed together
                height = seen == keys ? F32Blocks.height(queries - i) : 4;
                if (seen <= 0) continue;
                int panel = right + j * KEYS;
                int place = to + i * width + j;
                BLOCKS.columns(height, seen, x, tile + i, QUERIES, x, panel, x, place, width, true);
            }
        }
    }

    /**
     * Multiplies a tile's rows, one for each of {@code keys}, with the packed rows of {@code
     * queries} at {@code right}, and stores the product as rows of {@code width} at {@code to}:
     * each group of four keys processes the queries that attend to any of them.
     */
    static void spread(
            float[] x, int tile, int queries, int keys, int reach, int right, int width, int to) {
        for (int j = 0; j < width; j += LANES) {
            int height;
            for (int i = 0; i < keys; i += height) {
                int first = Math.clamp(i - reach, 0, queries) / 4 * 4;
                // rows that all queries attend to can be computed together
                int open = Math.min(keys, reach + 4) - i;
                height = first == 0 ? F32Blocks.height(open) : 4;
                int from = tile + i * QUERIES + first;
                int panel = right + j * queries + first * LANES;
                int place = to + i * width + j;
                BLOCKS.rows(
                        height,
                        queries - first,
                        x,
                        from,
                        QUERIES,
                        x,
                        panel,
                        x,
                        place,
                        width,
                        false);
            }
        }
    }

    /**
     * Sets {@code x[tile + j * QUERIES + i]} to the product of row j of the rows at {@code left}
     * and query i, at least wherever one of four neighbouring queries attends to one of four keys.
     */
    static void products(
            float[] x, int left, int width, int right, int rows, int queries, int reach, int tile) {
        for (int i = 0; i < queries; i += LANES) {
            int some = Math.min(rows, i + LANES + 3 + reach);
            int height;
            for (int j = 0; j < some; j += height) {
                height = F32Blocks.height(some - j);
                BLOCKS.rows(
                        height,
                        width,
                        x,
                        left + j * width,
                        width,
                        x,
                        right + i * width,
                        x,
                        tile + j * QUERIES + i,
                        QUERIES,
                        false);
            }
        }
    }

    /** Adds the mask to a tile of scores and hides the keys that come after a query. */
    void hide(int head, int query, int rows, int key, int columns, float[] x, int tile) {
        for (int m = 0; m < mask.size(); m++) {
            for (int i = 0; i < rows; i++) addMask(m, head, query + i, key, columns, x, tile + i);
        }
        int reach = reach(query, key);
        for (int j = Math.max(0, reach + 1); j < columns; j++) {
            int row = tile + j * QUERIES;
            Arrays.fill(x, row, row + Math.min(j - reach, rows), Float.NEGATIVE_INFINITY);
        }
    }

    private void addMask(int m, int head, int query, int key, int columns, float[] x, int at) {
        var buffer = mask.get(m);
        long from = place(m, head, query, key);
        long step = heads.mask().get(m).stride(3);
        for (int j = 0; j < columns; j++)
            x[at + j * QUERIES] += (float) buffer.get(from + j * step);
    }

    private long place(int m, int head, int query, int key) {
        var view = heads.mask().get(m);
        return view.offset()
                + head / heads.heads() * view.stride(0)
                + head % heads.heads() * view.stride(1)
                + query * view.stride(2)
                + key * view.stride(3);
    }

    /** The mask's summand of one score. */
    double mask(int head, int query, int key) {
        double sum = 0;
        for (int m = 0; m < mask.size(); m++) sum += mask.get(m).get(place(m, head, query, key));
        return sum;
    }
}
