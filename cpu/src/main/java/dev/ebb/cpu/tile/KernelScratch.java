package dev.ebb.cpu.tile;

import dev.ebb.ir.DType;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The memory outside the arena that a kernel needs for each worker. It depends only on the kernel's
 * shapes and types, not on the number of cores or the width of vectors.
 *
 * @param workers the most workers that can take part in the kernel
 * @param elements the elements needed of each {@link ScratchArray}
 */
public record KernelScratch(int workers, List<Integer> elements) {
    public static final KernelScratch NOTHING =
            new KernelScratch(1, Collections.nCopies(ScratchArray.values().length, 0));

    public KernelScratch {
        elements = List.copyOf(elements);
    }

    /** For a kernel that is split into this number of parts. */
    public static KernelScratch shared(long parts) {
        return new KernelScratch(Math.clamp(parts, 1, Integer.MAX_VALUE), NOTHING.elements);
    }

    public int of(ScratchArray bank) {
        return elements.get(bank.ordinal());
    }

    /** The same with at least {@code least} elements of a bank. */
    public KernelScratch and(ScratchArray bank, int least) {
        if (least <= of(bank)) return this;
        var more = new ArrayList<>(elements);
        more.set(bank.ordinal(), least);
        return new KernelScratch(workers, more);
    }

    /** The maximum of both needs for each bank, with this one's number of workers. */
    public KernelScratch and(KernelScratch other) {
        var more = new ArrayList<Integer>();
        for (ScratchArray bank : ScratchArray.values())
            more.add(Math.max(of(bank), other.of(bank)));
        return new KernelScratch(workers, more);
    }

    /**
     * The same with the memory for moving {@code length} elements of this type between memory and
     * registers.
     */
    public KernelScratch moving(DType stored, int length) {
        return switch (stored) {
            case BF16, F16 -> and(ScratchArray.HALVES, length + Tile.PADDING);
            case U8, BOOL, BIT -> and(ScratchArray.BYTES, length + Tile.PADDING);
            case F32, F64, I32, I64 -> this;
        };
    }

    boolean isWithin(KernelScratch other) {
        for (ScratchArray bank : ScratchArray.values()) if (of(bank) > other.of(bank)) return false;
        return true;
    }

    /** The bytes for one worker. */
    public long bytes() {
        long bytes = 0;
        for (ScratchArray bank : ScratchArray.values()) bytes += bank.bytes(of(bank));
        return bytes;
    }
}
