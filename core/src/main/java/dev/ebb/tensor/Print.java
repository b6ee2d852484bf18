package dev.ebb.tensor;

/** Arrays as nested lists, the middle of long axes left out. */
final class Print {
    private static final int EDGE = 6;

    private Print() {}

    static String elements(Array a) {
        var text = new StringBuilder();
        axis(a, 0, 0, text);
        return text.toString();
    }

    private static long axis(Array a, int axis, long at, StringBuilder text) {
        if (axis == a.rank()) {
            text.append(one(a, at));
            return at + 1;
        }
        text.append('[');
        int n = a.shape().dim(axis);
        long step = 1;
        for (int d = axis + 1; d < a.rank(); d++) step *= a.shape().dim(d);
        for (int i = 0; i < n; i++) {
            if (n > 2 * EDGE && i == EDGE) {
                text.append(", ...");
                i = n - EDGE;
            }
            if (i > 0) text.append(", ");
            axis(a, axis + 1, at + i * step, text);
        }
        text.append(']');
        return at;
    }

    private static String one(Array a, long i) {
        return switch (a.dtype()) {
            case F64 -> Double.toString(a.get(i));
            case F32, BF16, F16 -> Float.toString((float) a.get(i));
            case I32, I64, U8 -> Long.toString(a.data().getLong(i));
            case BOOL, BIT -> Boolean.toString(a.data().getLong(i) != 0);
        };
    }
}
