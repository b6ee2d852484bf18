package dev.ebb.cpu.tile;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Allocates a register for every operation of a list, and frees it after the operation's last use.
 * Registers of constants and of arguments given by the caller are not freed, because they are not
 * written in each run; nor are those of results, which are read after a run. Booleans use the array
 * of i32.
 */
final class Registers {

    /** The registers in one array, from {@code base} on. */
    private static final class Row {
        private final int elements;
        private final int base;
        private final ArrayDeque<Integer> free = new ArrayDeque<>();
        private int taken;

        Row(int elements, int base) {
            this.elements = elements;
            this.base = base;
        }

        int take() {
            var reused = free.poll();
            return reused != null ? reused : taken++;
        }

        int most() {
            return taken == 0 ? Tile.LENGTH : elements / taken - Tile.PADDING;
        }

        int end(int length) {
            return taken == 0 ? 0 : base + taken * (length + Tile.PADDING);
        }
    }

    private final Row f32;
    private final Row f64;
    private final Row i32;
    private final Row i64;
    private final OperationList line;
    private final boolean[] steady;
    private final IntPredicate given;
    private final int[] numbers;
    private final int length;

    /**
     * @param steady the operations that run once, before all others
     * @param given those that the caller computes before anything runs
     * @param size the number of positions; no register has more elements
     * @param afterNumbers whether the numbers of rows precede the registers
     */
    Registers(
            OperationList line,
            boolean[] steady,
            IntPredicate given,
            long size,
            boolean afterNumbers) {
        f32 = new Row(Tile.SINGLES, afterNumbers ? Tile.AFTER_LANES : 0);
        f64 = new Row(Tile.DOUBLES, afterNumbers ? Tile.NUMBERS : 0);
        i32 = new Row(Tile.SINGLES, 0);
        i64 = new Row(Tile.DOUBLES, 0);
        this.line = line;
        this.steady = steady.clone();
        this.given = given;
        numbers = new int[steady.length];
        for (int i = 0; i < steady.length; i++) if (given.test(i)) numbers[i] = bank(i).take();
        var last = lastUses();
        allocate(true, last);
        allocate(false, last);
        int most = Math.clamp(Math.ceilDiv(size, 64) * 64, 64, Tile.LENGTH);
        for (Row bank : List.of(f32, f64, i32, i64)) most = Math.min(most, bank.most());
        length = most >= 64 ? most / 64 * 64 : most / 8 * 8;
        if (length <= 0) {
            throw new IllegalArgumentException(
                    "a body of "
                            + steady.length
                            + " operations keeps more values alive at once than a tile holds; split"
                            + " it in two");
        }
    }

    private Row bank(int i) {
        var type = line.operations().get(i).type();
        return switch (type) {
            case F32 -> f32;
            case F64 -> f64;
            case I32, BOOL -> i32;
            case I64 -> i64;
            case BF16, F16, U8, BIT ->
                    throw new IllegalArgumentException("no register is of " + type);
        };
    }

    private int[] lastUses() {
        var last = new int[numbers.length];
        for (int i = 0; i < last.length; i++) {
            last[i] = Math.max(last[i], i);
            for (int j : line.operations().get(i).from()) {
                boolean stays = given.test(j) || (steady[j] && !steady[i]);
                last[j] = stays ? Integer.MAX_VALUE : Math.max(last[j], i);
            }
        }
        for (int j : line.results()) last[j] = Integer.MAX_VALUE;
        return last;
    }

    private void allocate(boolean which, int[] last) {
        for (int i = 0; i < numbers.length; i++) {
            if (steady[i] != which || given.test(i)) continue;
            // an operand with its last use here may be overwritten: every step reads a lane before
            // it writes it
            for (int j : line.operations().get(i).from().stream().distinct().toList()) {
                if (last[j] == i) bank(j).free.push(numbers[j]);
            }
            numbers[i] = bank(i).take();
            if (last[i] == i) bank(i).free.push(numbers[i]);
        }
    }

    /** The memory for the registers. */
    KernelScratch scratch() {
        return KernelScratch.NOTHING
                .and(ScratchArray.F32, f32.end(length))
                .and(ScratchArray.F64, f64.end(length))
                .and(ScratchArray.I32, i32.end(length))
                .and(ScratchArray.I64, i64.end(length));
    }

    /** The elements of each register, without its padding. */
    int length() {
        return length;
    }

    /** The start of the register of operation {@code i}. */
    int start(int i) {
        return bank(i).base + numbers[i] * (length + Tile.PADDING);
    }
}
