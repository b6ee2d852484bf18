package dev.ebb.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Arrays as text: a number or a vector on one line, an array with more axes as tables of aligned
 * columns. The middle of long axes is left out.
 */
final class Print {
    private static final int EDGE = 6;

    private Print() {}

    static String elements(Array a) {
        if (a.rank() == 0) return one(a, 0);
        var rows = new ArrayList<List<String>>();
        collect(a, 0, 0, rows);
        var width = new int[rows.stream().mapToInt(List::size).max().orElse(0)];
        if (a.rank() > 1) {
            for (var row : rows)
                for (int j = 0; j < row.size(); j++)
                    width[j] = Math.max(width[j], row.get(j).length());
        }
        var text = new StringBuilder(a.rank() > 1 ? "\n" : "");
        write(a, 0, rows.iterator(), width, text);
        return text.toString();
    }

    /** The indices of an axis that are shown; -1 marks the indices left out. */
    private static int[] shown(int n) {
        if (n <= 2 * EDGE) return IntStream.range(0, n).toArray();
        return IntStream.concat(
                        IntStream.concat(IntStream.range(0, EDGE), IntStream.of(-1)),
                        IntStream.range(n - EDGE, n))
                .toArray();
    }

    /** The cells of every row that is shown, in order. */
    private static void collect(Array a, int axis, long at, List<List<String>> rows) {
        int n = a.shape().dim(axis);
        if (axis == a.rank() - 1) {
            rows.add(IntStream.of(shown(n)).mapToObj(i -> i < 0 ? "..." : one(a, at + i)).toList());
            return;
        }
        for (int i : shown(n)) if (i >= 0) collect(a, axis + 1, (at + i) * next(a, axis), rows);
    }

    private static int next(Array a, int axis) {
        return a.shape().dim(axis + 1);
    }

    private static void write(
            Array a,
            int axis,
            java.util.Iterator<List<String>> rows,
            int[] width,
            StringBuilder text) {
        text.append('[');
        if (axis == a.rank() - 1) {
            var row = rows.next();
            for (int j = 0; j < row.size(); j++) {
                text.append(j > 0 ? ", " : "");
                text.append(" ".repeat(Math.max(0, width[j] - row.get(j).length())));
                text.append(row.get(j));
            }
        } else {
            boolean first = true;
            for (int i : shown(a.shape().dim(axis))) {
                if (!first) text.append(',').append(between(a, axis));
                first = false;
                if (i < 0) text.append("...");
                else write(a, axis + 1, rows, width, text);
            }
        }
        text.append(']');
    }

    /** A new line, and an empty one between tables. */
    private static String between(Array a, int axis) {
        return "\n".repeat(a.rank() - 1 - axis) + " ".repeat(axis + 1);
    }

    private static String one(Array a, long i) {
        return switch (a.dtype()) {
            case F64 -> Double.toString(a.data().get(i));
            case F32, BF16, F16 -> Float.toString((float) a.data().get(i));
            case I32, I64, U8 -> Long.toString(a.data().getLong(i));
            case BOOL, BIT -> Boolean.toString(a.data().getLong(i) != 0);
        };
    }
}
