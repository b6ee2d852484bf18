package dev.ebb.cpu.attend;

import dev.ebb.cpu.product.F32Panels;

/**
 * Packed tiles of one head's keys and values, at the end of a worker's scratch memory. As many
 * tiles as fit are packed once and stay until the head is complete; the others share the last place
 * and are packed each time.
 */
final class KeyTiles {

    /** Packs the tile of keys and values from {@code key} on to {@code x[at]} on. */
    interface Packing {
        void pack(int keyHead, int key, float[] x, int at);
    }

    private final Packing packing;
    private final int at;
    private final int size;
    private final int slots;
    private final int staying;

    /** For each worker, the number of staying tiles that are packed already. */
    private final int[] held;

    /**
     * @param keys the number of keys of a head
     * @param at the start of the free scratch memory
     * @param size the floats of a tile's packed keys and values
     */
    KeyTiles(int keys, int at, int size, int workers, Packing packing) {
        this.packing = packing;
        this.at = at;
        this.size = size;
        int tiles = Math.ceilDiv(keys, AttentionScores.KEYS);
        int room = (F32Panels.stored() - at) / Math.max(size, 1);
        slots = Math.min(tiles, room);
        staying = tiles <= room ? tiles : slots - 1;
        held = new int[workers];
    }

    /** An upper bound on the end of the tiles, for heads of these sizes or smaller ones. */
    static int end(int keys, int at, int size) {
        long all = at + (long) Math.ceilDiv(keys, AttentionScores.KEYS) * size;
        return (int) Math.min(F32Panels.stored(), all);
    }

    /** Forgets the tiles of the head before. */
    void begin(int worker) {
        held[worker] = 0;
    }

    /**
     * The offset of the packed tile of keys from {@code key} on; tiles are requested in the order
     * of keys at first.
     */
    int place(int worker, int keyHead, int key, float[] x) {
        int number = key / AttentionScores.KEYS;
        int place = at + Math.min(number, slots - 1) * size;
        if (number >= held[worker]) {
            packing.pack(keyHead, key, x, place);
            if (number < staying) held[worker] = number + 1;
        }
        return place;
    }
}
