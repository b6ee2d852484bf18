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
 * @param elements the elements needed of each {@link Bank}
 */
public record Need(int workers, List<Integer> elements) {
    public static final Need NOTHING = new Need(1, Collections.nCopies(Bank.values().length, 0));

    public Need {
        elements = List.copyOf(elements);
    }

    /** For a kernel that is split into this number of parts. */
    public static Need shared(long parts) {
        return new Need(Math.clamp(parts, 1, Integer.MAX_VALUE), NOTHING.elements);
    }

    public int of(Bank bank) {
        return elements.get(bank.ordinal());
    }

    /** The same with at least {@code least} elements of a bank. */
    public Need and(Bank bank, int least) {
        if (least <= of(bank)) return this;
        var more = new ArrayList<>(elements);
        more.set(bank.ordinal(), least);
        return new Need(workers, more);
    }

    /** The maximum of both needs for each bank, with this one's number of workers. */
    public Need and(Need other) {
        var more = new ArrayList<Integer>();
        for (Bank bank : Bank.values()) more.add(Math.max(of(bank), other.of(bank)));
        return new Need(workers, more);
    }

    /**
     * The same with the memory for moving {@code length} elements of this type between memory and
     * registers.
     */
    public Need moving(DType stored, int length) {
        return switch (stored) {
            case BF16, F16 -> and(Bank.HALVES, length + Tile.PADDING);
            case U8, BOOL, BIT -> and(Bank.BYTES, length + Tile.PADDING);
            case F32, F64, I32, I64 -> this;
        };
    }

    boolean isWithin(Need other) {
        for (Bank bank : Bank.values()) if (of(bank) > other.of(bank)) return false;
        return true;
    }

    /** The bytes for one worker. */
    public long bytes() {
        long bytes = 0;
        for (Bank bank : Bank.values()) bytes += bank.bytes(of(bank));
        return bytes;
    }
}
