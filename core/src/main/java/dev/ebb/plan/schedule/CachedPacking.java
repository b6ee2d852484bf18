package dev.ebb.plan.schedule;

import dev.ebb.plan.cache.SearchCache;
import dev.ebb.plan.cache.SearchKey;
import dev.ebb.plan.pack.Packing;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Offsets of buffers with known lifetimes, computed by {@link Packing} or taken from a cache.
 *
 * @param arena the end of the highest buffer
 */
record CachedPacking(long[] offsets, long arena) {
    private static final byte[] CODE = SearchKey.code(Packing.searching());

    static CachedPacking of(int[] from, int[] to, long[] bytes, SearchCache cache) {
        if (cache.equals(SearchCache.NONE)) return packed(from, to, bytes);
        var key = new SearchKey(CODE).put(from).put(to).put(bytes).text();
        var known = cache.find(key).flatMap(data -> read(data, bytes.length));
        if (known.isPresent() && known.get().holds(from, to, bytes)) return known.get();
        var found = packed(from, to, bytes);
        cache.put(key, found.write());
        return found;
    }

    private static CachedPacking packed(int[] from, int[] to, long[] bytes) {
        var packing = Packing.of(from, to, bytes);
        return new CachedPacking(packing.offsets(), packing.arena());
    }

    private byte[] write() {
        var data = ByteBuffer.allocate(Long.BYTES * (offsets.length + 1));
        data.putLong(arena);
        for (long offset : offsets) data.putLong(offset);
        return data.array();
    }

    private static Optional<CachedPacking> read(byte[] data, int count) {
        if (data.length != Long.BYTES * (count + 1)) return Optional.empty();
        var in = ByteBuffer.wrap(data);
        long arena = in.getLong();
        var offsets = new long[count];
        for (int i = 0; i < count; i++) offsets[i] = in.getLong();
        return Optional.of(new CachedPacking(offsets, arena));
    }

    /**
     * Whether every buffer is in the arena, and no two that are alive at the same time share a
     * byte.
     */
    private boolean holds(int[] from, int[] to, long[] bytes) {
        for (int i = 0; i < bytes.length; i++) {
            if (offsets[i] < 0 || offsets[i] % Packing.ALIGNMENT != 0) return false;
            if (bytes[i] > arena - offsets[i]) return false;
            for (int k = 0; k < i; k++) {
                boolean together = from[i] < to[k] && from[k] < to[i];
                boolean apart =
                        offsets[i] + bytes[i] <= offsets[k] || offsets[k] + bytes[k] <= offsets[i];
                if (together && !apart && bytes[i] > 0 && bytes[k] > 0) return false;
            }
        }
        return true;
    }
}
