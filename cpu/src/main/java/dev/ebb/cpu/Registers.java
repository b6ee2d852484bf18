package dev.ebb.cpu;

import dev.ebb.ir.DType;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/**
 * Gives every operation of a line a register, and takes it back after its last use. What is steady
 * or given stays, as it is not written again by each run; so do results, which are read after it.
 * Two banks of four-byte and two of eight-byte elements; truth values share the bank of integers.
 */
final class Registers {
    private enum Bank {
        F32,
        F64,
        I32,
        I64;

        static Bank of(DType type) {
            return switch (type) {
                case F32 -> F32;
                case F64 -> F64;
                case I32, BOOL -> I32;
                case I64 -> I64;
                case BF16, F16, U8, BIT ->
                        throw new IllegalArgumentException("no register is of " + type);
            };
        }

        int elements() {
            return this == F32 || this == I32 ? Tile.SINGLES : Tile.DOUBLES;
        }
    }

    private final int[] numbers;
    private final int length;
    private final int stride;

    Registers(Line line, boolean[] steady, IntPredicate given) {
        int count = line.operations().size();
        var last = lastUses(line, steady, given);
        numbers = new int[count];
        var taken = new int[Bank.values().length];
        var free = Stream.generate(ArrayDeque<Integer>::new).limit(taken.length).toList();
        // given arguments first: the caller writes them before anything runs
        for (int i = 0; i < count; i++) {
            if (given.test(i)) numbers[i] = taken[bank(line, i)]++;
        }
        allocate(line, steady, true, given, last, taken, free);
        allocate(line, steady, false, given, last, taken, free);
        int most = Tile.LENGTH;
        for (Bank bank : Bank.values()) {
            int own = taken[bank.ordinal()];
            if (own > 0) most = Math.min(most, bank.elements() / own - Tile.PADDING);
        }
        length = most >= 64 ? most / 64 * 64 : most / 8 * 8;
        stride = length + Tile.PADDING;
        if (length <= 0) {
            throw new IllegalArgumentException(
                    "a body of "
                            + count
                            + " operations keeps "
                            + Arrays.toString(taken)
                            + " values alive at once, more than a tile holds; split it in two");
        }
    }

    private static int bank(Line line, int i) {
        return Bank.of(line.operations().get(i).type()).ordinal();
    }

    private static int[] lastUses(Line line, boolean[] steady, IntPredicate given) {
        var last = new int[steady.length];
        for (int i = 0; i < steady.length; i++) {
            last[i] = Math.max(last[i], i);
            for (int j : line.operations().get(i).from()) {
                boolean stays = given.test(j) || steady[j] && !steady[i];
                last[j] = stays ? Integer.MAX_VALUE : Math.max(last[j], i);
            }
        }
        for (int j : line.results()) last[j] = Integer.MAX_VALUE;
        return last;
    }

    private void allocate(
            Line line,
            boolean[] steady,
            boolean which,
            IntPredicate given,
            int[] last,
            int[] taken,
            List<ArrayDeque<Integer>> free) {
        for (int i = 0; i < steady.length; i++) {
            if (steady[i] != which || given.test(i)) continue;
            // an operand that dies here may be overwritten: every step reads a lane before it
            // writes it
            for (int j : line.operations().get(i).from().stream().distinct().toList()) {
                if (last[j] == i) free.get(bank(line, j)).push(numbers[j]);
            }
            int bank = bank(line, i);
            var reused = free.get(bank).poll();
            numbers[i] = reused != null ? reused : taken[bank]++;
            if (last[i] == i) free.get(bank).push(numbers[i]);
        }
    }

    /** How many elements each register holds, before its padding. */
    int length() {
        return length;
    }

    /** Where the register of operation {@code i} begins. */
    int start(int i) {
        return numbers[i] * stride;
    }
}
