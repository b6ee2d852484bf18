package dev.ebb.exec.tape;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** The log of a tape: every node that ran, in order, and the producer and readers of each value. */
final class ExecutionLog {
    private static final int NOBODY = -1;
    private static final int[] NONE = {};

    private final List<Node> nodes = new ArrayList<>();
    private final List<OpForm> forms = new ArrayList<>();
    private int[] firstKinds = new int[16];
    private int kinds;
    private int[] makers = new int[16];
    private int[][] readers = new int[16][];
    private int[] readerCounts = new int[16];
    private int[] seen = new int[16];
    private int stamp;

    ExecutionLog() {
        Arrays.fill(makers, NOBODY);
    }

    int size() {
        return nodes.size();
    }

    Node node(int i) {
        return nodes.get(i);
    }

    double cost(int i) {
        return forms.get(i).cost();
    }

    OpForm form(int i) {
        return forms.get(i);
    }

    void add(Node node, OpForm form) {
        int i = nodes.size();
        nodes.add(node);
        forms.add(form);
        if (i >= seen.length) seen = Arrays.copyOf(seen, 2 * i);
        var inputs = node.inputs();
        for (int k = 0; k < inputs.size(); k++) {
            var v = inputs.get(k);
            grow(v.id());
            int count = readerCounts[v.id()];
            var list = readers[v.id()] == null ? new int[2] : readers[v.id()];
            if (count > 0 && list[count - 1] == i) continue;
            if (count == list.length) list = Arrays.copyOf(list, 2 * count);
            list[count] = i;
            readers[v.id()] = list;
            readerCounts[v.id()] = count + 1;
        }
        var outputs = node.outputs();
        for (int k = 0; k < outputs.size(); k++) {
            grow(outputs.get(k).id());
            makers[outputs.get(k).id()] = i;
        }
    }

    private void grow(int id) {
        if (id < makers.length) return;
        int old = makers.length;
        int size = Math.max(id + 1, 2 * old);
        makers = Arrays.copyOf(makers, size);
        Arrays.fill(makers, old, size, NOBODY);
        readers = Arrays.copyOf(readers, size);
        readerCounts = Arrays.copyOf(readerCounts, size);
    }

    /** The node that made {@code v}, or -1 for a value that came from outside. */
    int maker(Value v) {
        return v.id() < makers.length ? makers[v.id()] : NOBODY;
    }

    /**
     * The kind of {@code v}: equal for the outputs with the same position of all nodes of the same
     * form. These have the same type, and their nodes cost the same.
     */
    int kind(Value v) {
        int i = maker(v);
        var form = forms.get(i);
        if (form.number() >= firstKinds.length)
            firstKinds = Arrays.copyOf(firstKinds, 2 * form.number());
        var outputs = nodes.get(i).outputs();
        if (firstKinds[form.number()] == 0) {
            firstKinds[form.number()] = kinds + 1;
            kinds += outputs.size();
        }
        int kind = firstKinds[form.number()] - 1;
        return outputs.size() == 1 ? kind : kind + outputs.indexOf(v);
    }

    /** How many nodes at or before {@code position} read {@code v}. */
    int readersUpTo(Value v, int position) {
        int count = v.id() < readerCounts.length ? readerCounts[v.id()] : 0;
        if (count == 0 || readers[v.id()][count - 1] <= position) return count;
        int found = Arrays.binarySearch(readers[v.id()], 0, count, position);
        return found >= 0 ? found + 1 : -found - 1;
    }

    int reader(Value v, int i) {
        return readers[v.id()][i];
    }

    /** The last node, at or before {@code position}, that made or read {@code v}; -1 for none. */
    int lastUse(Value v, int position) {
        int maker = maker(v);
        int last = maker <= position ? maker : NOBODY;
        int readersThere = readersUpTo(v, position);
        return readersThere == 0 ? last : Math.max(last, reader(v, readersThere - 1));
    }

    /** The first node after {@code position} that read {@code v}; the last of all if none did. */
    int nextUse(Value v, int position) {
        int at = readersUpTo(v, position);
        return at == readersUpTo(v, Integer.MAX_VALUE) ? nodes.size() : reader(v, at);
    }

    /** The nodes that must run, in order, to compute {@code target} from the values in memory. */
    int[] missing(Value target, Predicate<Value> there) {
        stamp++;
        var found = new int[16];
        var open = new int[16];
        int count = 0;
        int top = 0;
        open[top++] = maker(target);
        seen[maker(target)] = stamp;
        while (top > 0) {
            int i = open[--top];
            if (count == found.length) found = Arrays.copyOf(found, 2 * count);
            found[count++] = i;
            for (Value v : nodes.get(i).inputs()) {
                if (there.test(v)) continue;
                int maker = maker(v);
                if (seen[maker] == stamp) continue;
                seen[maker] = stamp;
                if (top == open.length) open = Arrays.copyOf(open, 2 * top);
                open[top++] = maker;
            }
        }
        if (count == 0) return NONE;
        var order = Arrays.copyOf(found, count);
        Arrays.sort(order);
        return order;
    }
}
