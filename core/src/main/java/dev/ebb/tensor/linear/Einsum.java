package dev.ebb.tensor.linear;

import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Table;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Sums of products by Einstein's convention, of any number of tensors: every letter is an axis,
 * equal letters run together, and what the result does not name is summed. Three dots stand for
 * axes without a letter, which broadcast from the right. All of it becomes diagonals, sums,
 * permutations and matrix products, two operands at a time, in the order that {@link
 * ContractionOrder} finds cheapest.
 */
final class Einsum {
    private final String equation;
    private final Table<Character, Integer> sizes = new Table<>();

    private Einsum(String equation) {
        this.equation = equation;
    }

    /** A tensor and the letters of its axes. */
    record Labelled(Tensor t, String axes) {
        boolean has(char c) {
            return axes.indexOf(c) >= 0;
        }

        Labelled ordered(String order) {
            return new Labelled(t.permute(order.chars().map(axes::indexOf).toArray()), order);
        }
    }

    static Tensor of(String equation, List<Tensor> operands) {
        return new Einsum(equation.replace(" ", "")).run(operands);
    }

    private ShapeException fault(String fault) {
        return new ShapeException("einsum '" + equation + "': " + fault);
    }

    private Tensor run(List<Tensor> operands) {
        int arrow = equation.indexOf("->");
        var left = arrow < 0 ? equation : equation.substring(0, arrow);
        var terms = left.split(",", -1);
        if (terms.length != operands.size()) {
            throw fault(
                    "it names "
                            + terms.length
                            + " operands, separated by commas, and "
                            + operands.size()
                            + " are given");
        }
        var dots = new Ellipsis(this::fault);
        var axes = new ArrayList<String>();
        for (int i = 0; i < terms.length; i++) axes.add(dots.named(terms[i], operands.get(i)));
        var labelled = new ArrayList<Labelled>();
        for (int i = 0; i < terms.length; i++) {
            labelled.add(measured(dots.squeezed(operands.get(i), axes.get(i))));
        }
        var out =
                arrow < 0
                        ? dots.all() + implied(left.replace(Ellipsis.DOTS, ""))
                        : dots.result(equation.substring(arrow + 2));
        letters(out);
        for (int i = 0; i < out.length(); i++) {
            char c = out.charAt(i);
            if (!sizes.has(c)) throw fault("the result's '" + c + "' is in no operand");
            if (out.indexOf(c) != out.lastIndexOf(c)) {
                throw fault("the result names '" + c + "' twice; use diag for that");
            }
        }
        var plain = new ArrayList<Labelled>();
        for (int i = 0; i < labelled.size(); i++) {
            plain.add(reduced(labelled.get(i), others(labelled, i) + out));
        }
        var order = ContractionOrder.of(plain.stream().map(Labelled::axes).toList(), out, sizes);
        for (var pair : order) {
            var y = plain.remove(pair.second());
            var x = plain.remove(pair.first());
            plain.add(product(x, y, others(plain, -1) + out));
        }
        var product = plain.getFirst();
        return product.axes.equals(out) ? product.t : product.ordered(out).t;
    }

    /** The letters of all operands but one. */
    private static String others(List<Labelled> all, int but) {
        var letters = new StringBuilder();
        for (int i = 0; i < all.size(); i++) if (i != but) letters.append(all.get(i).axes);
        return letters.toString();
    }

    private void letters(String term) {
        for (int i = 0; i < term.length(); i++) {
            char c = term.charAt(i);
            if (!Character.isLetter(c) && !Ellipsis.isAxis(c)) {
                throw fault(
                        "'" + c + "' is no letter; every axis is one letter, as in 'ij,jk->ik'");
            }
        }
    }

    private Labelled measured(Labelled l) {
        letters(l.axes);
        if (l.axes.length() != l.t.rank()) {
            throw fault(
                    "'"
                            + l.axes
                            + "' names "
                            + l.axes.length()
                            + " axes, its operand "
                            + l.t.type()
                            + " has "
                            + l.t.rank());
        }
        for (int i = 0; i < l.axes.length(); i++) {
            char c = l.axes.charAt(i);
            int size = l.t.dim(i);
            int known = sizes.find(c).orElse(size);
            if (known != size) {
                throw fault(
                        "axis '"
                                + c
                                + "' has "
                                + known
                                + " elements in one place and "
                                + size
                                + " in another");
            }
            sizes.put(c, size);
        }
        return l;
    }

    /** Without an arrow: the letters that occur once, in alphabetical order. */
    private static String implied(String left) {
        return left.chars()
                .filter(c -> c != ',' && left.indexOf(c) == left.lastIndexOf(c))
                .sorted()
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
    }

    /**
     * Replaces axes of equal letters by their diagonal, and sums over letters that are not in
     * {@code wanted}.
     */
    private static Labelled reduced(Labelled l, String wanted) {
        var x = l;
        for (int i = repeated(x.axes); i >= 0; i = repeated(x.axes)) {
            x = diagonal(x, i, x.axes.indexOf(x.axes.charAt(i), i + 1));
        }
        var axes = new ArrayList<Integer>();
        var kept = new StringBuilder();
        for (int i = 0; i < x.axes.length(); i++) {
            char c = x.axes.charAt(i);
            if (wanted.indexOf(c) >= 0) kept.append(c);
            else axes.add(i);
        }
        return axes.isEmpty() ? x : new Labelled(x.t.sum(axes, false), kept.toString());
    }

    /** The index of the first letter that occurs again, or -1. */
    private static int repeated(String axes) {
        for (int i = 0; i < axes.length(); i++) {
            if (axes.indexOf(axes.charAt(i), i + 1) >= 0) return i;
        }
        return -1;
    }

    private static Labelled diagonal(Labelled l, int first, int second) {
        char c = l.axes.charAt(first);
        var order = new ArrayList<Integer>();
        var rest = new StringBuilder();
        for (int i = 0; i < l.axes.length(); i++) {
            if (i == first || i == second) continue;
            order.add(i);
            rest.append(l.axes.charAt(i));
        }
        order.add(first);
        order.add(second);
        return new Labelled(l.t.permute(order).diagonal(), rest.append(c).toString());
    }

    /** [batch, left, common] x [batch, common, right]. */
    private Labelled product(Labelled x, Labelled y, String out) {
        var batch = pick(x.axes, c -> y.has(c) && out.indexOf(c) >= 0);
        var common = pick(x.axes, c -> y.has(c) && out.indexOf(c) < 0);
        var left = pick(x.axes, c -> !y.has(c));
        var right = pick(y.axes, c -> !x.has(c));
        int b = size(batch);
        var a = x.ordered(batch + left + common).t.reshape(matrix(b, size(left), size(common)));
        var z = y.ordered(batch + common + right).t.reshape(matrix(b, size(common), size(right)));
        // without a sum it is elementwise, which fuses
        var product = common.isEmpty() ? a.mul(z) : a.matmul(z);
        var axes = batch + left + right;
        var dims = axes.chars().mapToObj(c -> sizes.at((char) c)).toList();
        return new Labelled(product.reshape(new Shape(dims)), axes);
    }

    private static Shape matrix(int batch, int rows, int columns) {
        return batch == 1 ? Shape.of(rows, columns) : Shape.of(batch, rows, columns);
    }

    private interface Choice {
        boolean takes(char c);
    }

    private static String pick(String axes, Choice choice) {
        var out = new StringBuilder();
        for (int i = 0; i < axes.length(); i++) {
            if (choice.takes(axes.charAt(i))) out.append(axes.charAt(i));
        }
        return out.toString();
    }

    private int size(String axes) {
        int size = 1;
        for (int i = 0; i < axes.length(); i++) {
            size = Math.multiplyExact(size, sizes.at(axes.charAt(i)));
        }
        return size;
    }
}
