package dev.ebb.tensor.linear;

import dev.ebb.ir.Table;

import java.util.ArrayList;
import java.util.List;

/**
 * Chooses the order in which the operands of an einsum are multiplied, two at a time. The cost of a
 * product is the number of its multiplications: the product of the sizes of all axes of both
 * factors. Up to {@link #EXACT} operands the cheapest order of all is found, by the cheapest order
 * of every subset; beyond, the cheapest pair is taken again and again. Of equals the first is
 * taken, so the order depends on the axes and their sizes alone.
 */
record ContractionOrder(List<String> terms, String out, Table<Character, Integer> sizes) {
    private static final int EXACT = 10;

    /** The next two operands, by their places among those left; their product goes to the end. */
    record Pair(int first, int second) {}

    static List<Pair> of(List<String> terms, String out, Table<Character, Integer> sizes) {
        var order = new ContractionOrder(terms, out, sizes);
        return terms.size() <= EXACT ? order.exact() : order.greedy();
    }

    private double cost(String x, String y) {
        double product = 1;
        var all = union(x, y);
        for (int i = 0; i < all.length(); i++) product *= sizes.at(all.charAt(i));
        return product;
    }

    private static String union(String x, String y) {
        var all = new StringBuilder(x);
        for (int i = 0; i < y.length(); i++) {
            if (x.indexOf(y.charAt(i)) < 0) all.append(y.charAt(i));
        }
        return all.toString();
    }

    /** The letters of {@code axes} that also occur in the result or in one of {@code others}. */
    static String kept(String axes, String others, String out) {
        var kept = new StringBuilder();
        for (int i = 0; i < axes.length(); i++) {
            char c = axes.charAt(i);
            if (others.indexOf(c) >= 0 || out.indexOf(c) >= 0) kept.append(c);
        }
        return kept.toString();
    }

    private List<Pair> greedy() {
        var left = new ArrayList<>(terms);
        var pairs = new ArrayList<Pair>();
        while (left.size() > 1) {
            var best = new Pair(0, 1);
            double least = Double.POSITIVE_INFINITY;
            for (int i = 0; i < left.size(); i++) {
                for (int j = i + 1; j < left.size(); j++) {
                    double cost = cost(left.get(i), left.get(j));
                    if (cost < least) {
                        least = cost;
                        best = new Pair(i, j);
                    }
                }
            }
            pairs.add(best);
            var y = left.remove(best.second);
            var x = left.remove(best.first);
            left.add(kept(union(x, y), String.join("", left), out));
        }
        return pairs;
    }

    /** The cheapest way to multiply every subset: into which two parts it falls last. */
    private List<Pair> exact() {
        int all = (1 << terms.size()) - 1;
        var axes = new String[all + 1];
        var costs = new double[all + 1];
        var split = new int[all + 1];
        for (int set = 1; set <= all; set++) {
            axes[set] = axes(set);
            if (Integer.bitCount(set) == 1) continue;
            costs[set] = Double.POSITIVE_INFINITY;
            // the part with the first operand, from the smallest number up
            int lowest = Integer.lowestOneBit(set);
            for (int part = lowest; part < set; part++) {
                if ((part & set) != part || (part & lowest) == 0) continue;
                int rest = set ^ part;
                double cost = costs[part] + costs[rest] + cost(axes[part], axes[rest]);
                if (cost < costs[set]) {
                    costs[set] = cost;
                    split[set] = part;
                }
            }
        }
        var left = new ArrayList<Integer>();
        for (int i = 0; i < terms.size(); i++) left.add(1 << i);
        var pairs = new ArrayList<Pair>();
        walk(all, split, left, pairs);
        return pairs;
    }

    private static void walk(int set, int[] split, List<Integer> left, List<Pair> pairs) {
        if (Integer.bitCount(set) == 1) return;
        int part = split[set];
        int rest = set ^ part;
        walk(part, split, left, pairs);
        walk(rest, split, left, pairs);
        int a = left.indexOf(part);
        int b = left.indexOf(rest);
        var pair = new Pair(Math.min(a, b), Math.max(a, b));
        pairs.add(pair);
        left.remove(pair.second);
        left.remove(pair.first);
        left.add(set);
    }

    /** The axes of the product of a subset of the operands. */
    private String axes(int set) {
        var own = "";
        var others = new StringBuilder();
        for (int i = 0; i < terms.size(); i++) {
            if ((set & (1 << i)) != 0) own = union(own, terms.get(i));
            else others.append(terms.get(i));
        }
        return kept(own, others.toString(), out);
    }
}
