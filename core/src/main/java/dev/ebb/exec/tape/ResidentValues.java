package dev.ebb.exec.tape;

import dev.ebb.exec.Category;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Sizes;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The values that are in memory now, in one arena of a bounded size. If the free ranges are large
 * enough together but not alone, the values are compacted: no memory is lost to fragmentation. The
 * underlying memory grows as values are placed.
 */
final class ResidentValues {
    private static final long LINE = 64;
    private static final long FIRST = 1 << 20;

    private final long bound;
    private final Table offsets = new Table();
    private final List<Value> here = new ArrayList<>();
    private final ArenaMemory memory;
    private FreeRanges ranges = new FreeRanges();
    private long capacity;
    private long peak;
    private final long[] held = new long[Category.values().length];
    private final long[] peaks = new long[Category.values().length];

    ResidentValues(long bound, ArenaMemory memory) {
        this.memory = memory;
        this.bound = bound / LINE * LINE;
        boolean unbounded = bound > Long.MAX_VALUE / 4;
        capacity = unbounded ? FIRST : this.bound;
        memory.cover(LINE);
        ranges.give(0, capacity);
    }

    /** For each value in memory, its offset and its index in the list of them. */
    private static final class Table {
        private long[] offset = new long[16];
        private int[] number = new int[16];
        private Category[] category = new Category[16];

        void grow(int id) {
            if (id < offset.length) return;
            int size = Math.max(id + 1, 2 * offset.length);
            offset = java.util.Arrays.copyOf(offset, size);
            number = java.util.Arrays.copyOf(number, size);
            category = java.util.Arrays.copyOf(category, size);
        }
    }

    static long bytes(Value v) {
        return Sizes.CACHE_LINES.of(v);
    }

    boolean has(Value v) {
        return v.id() < offsets.number.length && offsets.number[v.id()] > 0;
    }

    /** The position of {@code v} in {@link #all}, from 1 on. */
    int number(Value v) {
        return offsets.number[v.id()];
    }

    /** The values in memory, in no order. Changes with every {@link #place} and {@link #drop}. */
    List<Value> all() {
        return here;
    }

    /** The bytes that are missing before {@code bytes} more fit; 0 if they fit now. */
    long missing(long bytes) {
        if (bytes > ranges.free() && bound > Long.MAX_VALUE / 4) grow(bytes);
        return Math.max(0, bytes - ranges.free());
    }

    /** The bytes that are free or could still be allocated. */
    long left() {
        return bound > Long.MAX_VALUE / 4 ? bound / 4 : ranges.free();
    }

    long used() {
        return capacity - ranges.free();
    }

    long peak() {
        return peak;
    }

    /** The most bytes of one category at once so far. */
    long peak(Category category) {
        return peaks[category.ordinal()];
    }

    /** Allocates memory for {@code v}; it must fit. */
    void place(Value v, Category category) {
        offsets.grow(v.id());
        offsets.offset[v.id()] = reserve(bytes(v), category);
        offsets.category[v.id()] = category;
        here.add(v);
        offsets.number[v.id()] = here.size();
    }

    void drop(Value v) {
        int at = offsets.number[v.id()] - 1;
        offsets.number[v.id()] = 0;
        ranges.give(offsets.offset[v.id()], bytes(v));
        held[offsets.category[v.id()].ordinal()] -= bytes(v);
        var last = here.removeLast();
        if (last.id() != v.id()) {
            here.set(at, last);
            offsets.number[last.id()] = at + 1;
        }
    }

    /** The memory of {@code v}, valid until the next {@link #place}, which may move it. */
    Buffer buffer(Value v) {
        var type = v.type();
        return new Buffer(type.dtype(), type.size(), at(offsets.offset[v.id()], type.bytes()));
    }

    /** The offset of {@code v} in {@link #memory}, valid until the next {@link #place}. */
    long offset(Value v) {
        return offsets.offset[v.id()];
    }

    /** The memory of all values, until the next {@link #place}. */
    Memory memory() {
        return memory.all();
    }

    /** Allocates workspace, which must be freed with {@link #giveBack}. */
    long take(long bytes) {
        return reserve(bytes, Category.WORKSPACE);
    }

    private long reserve(long bytes, Category category) {
        var start = ranges.take(bytes);
        if (start.isEmpty()) {
            moveTogether();
            start = ranges.take(bytes);
        }
        memory.cover(start.orElseThrow() + bytes);
        peak = Math.max(peak, used());
        int k = category.ordinal();
        held[k] += bytes;
        peaks[k] = Math.max(peaks[k], held[k]);
        return start.getAsLong();
    }

    void giveBack(long start, long bytes) {
        ranges.give(start, bytes);
        held[Category.WORKSPACE.ordinal()] -= bytes;
    }

    Memory at(long start, long bytes) {
        return memory.all().slice(start, bytes);
    }

    private void moveTogether() {
        var byPlace = new ArrayList<>(here);
        byPlace.sort(Comparator.comparingLong(v -> offsets.offset[v.id()]));
        long end = 0;
        for (Value v : byPlace) {
            long from = offsets.offset[v.id()];
            if (from != end) memory.move(from, end, bytes(v));
            offsets.offset[v.id()] = end;
            end += bytes(v);
        }
        ranges = new FreeRanges();
        ranges.give(end, capacity - end);
    }

    private void grow(long bytes) {
        long old = capacity;
        long size = old;
        while (size - old + ranges.free() < bytes) size *= 2;
        capacity = size;
        ranges.give(old, size - old);
    }
}
