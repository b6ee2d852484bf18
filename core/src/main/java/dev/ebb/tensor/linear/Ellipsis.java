package dev.ebb.tensor.linear;

import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.linear.Einsum.Labelled;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The axes that three dots stand for in an einsum. Each gets a letter of its own, from a range of
 * characters that users do not type: the last axis the first letter, so that operands agree from
 * the right.
 */
final class Ellipsis {
    static final String DOTS = "...";
    private static final char FIRST = '\ue000';

    /** The largest size of each axis, the last axis first. */
    private final List<Integer> sizes = new ArrayList<>();

    private final Function<String, ShapeException> fault;
    private boolean used;

    Ellipsis(Function<String, ShapeException> fault) {
        this.fault = fault;
    }

    static boolean isAxis(char c) {
        return c >= FIRST && c < FIRST + 64;
    }

    /** {@code term} with letters for its dots, which are the axes that {@code t} has beyond it. */
    String named(String term, Tensor t) {
        int at = term.indexOf(DOTS);
        if (at < 0) return term;
        int count = t.rank() - (term.length() - DOTS.length());
        if (count < 0) {
            throw fault.apply(
                    "'" + term + "' names more axes than its operand " + t.type() + " has");
        }
        used = true;
        for (int i = 0; i < count; i++) {
            int size = t.dim(at + count - 1 - i);
            if (i == sizes.size()) sizes.add(size);
            else if (sizes.get(i) == 1) sizes.set(i, size);
        }
        return term.replace(DOTS, letters(count));
    }

    private static String letters(int count) {
        var letters = new StringBuilder();
        for (int i = count - 1; i >= 0; i--) letters.append((char) (FIRST + i));
        return letters.toString();
    }

    /** An operand without those of its dotted axes that have size one and broadcast. */
    Labelled squeezed(Tensor t, String axes) {
        var x = t;
        var rest = new StringBuilder(axes);
        for (int i = axes.length() - 1; i >= 0; i--) {
            char c = axes.charAt(i);
            if (!isAxis(c) || t.dim(i) != 1 || sizes.get(c - FIRST) == 1) continue;
            x = x.reshape(x.shape().reduce(List.of(i), false));
            rest.deleteCharAt(i);
        }
        return new Labelled(x, rest.toString());
    }

    /** The letters of all dotted axes, the first axis first. */
    String all() {
        return letters(sizes.size());
    }

    /** The letters of the result, including those of its dots. */
    String result(String out) {
        if (!out.contains(DOTS) && used) {
            throw fault.apply(
                    "an operand has '...' and the result has not; write it there too, or name the"
                            + " axes that are to be summed");
        }
        return out.replace(DOTS, all());
    }
}
