package dev.ebb.cpu.tile;

import dev.ebb.ir.DType;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The memory that a kernel needs of each worker outside the arena, by the shapes and types it is
 * for alone: neither the machine's cores nor the width of its vectors changes it.
 *
 * @param workers at most so many workers have a part in it
 * @param elements how much it needs of each {@link Bank}
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

    /** And at least this much of a bank. */
    public Need and(Bank bank, int least) {
        if (least <= of(bank)) return this;
        var more = new ArrayList<>(elements);
        more.set(bank.ordinal(), least);
        return new Need(workers, more);
    }

    /** As much of each bank as the one or the other needs, of this one's workers. */
    public Need and(Need other) {
        var more = new ArrayList<Integer>();
        for (Bank bank : Bank.values()) more.add(Math.max(of(bank), other.of(bank)));
        return new Need(workers, more);
    }

    /** And what moving {@code length} elements of this type between memory and registers takes. */
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

    /** What one worker's share takes. */
    public long bytes() {
        long bytes = 0;
        for (Bank bank : Bank.values()) bytes += bank.bytes(of(bank));
        return bytes;
    }
}
