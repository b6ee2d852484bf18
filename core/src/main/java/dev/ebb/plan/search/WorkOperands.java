package dev.ebb.plan.search;

import dev.ebb.ir.Node;
import dev.ebb.ir.Value;
import dev.ebb.plan.schedule.Inplace;

import java.util.Arrays;

/** Arrays that a {@link SearchModel} derives from the operands of its works. */
final class WorkOperands {
    private WorkOperands() {}

    /**
     * The values that each work reads and then writes, all works in one array.
     *
     * @param from is filled with the index at which the operands of each work begin, and the end of
     *     the last ones
     * @param writes is filled with the index at which the outputs of each work begin
     */
    static int[] flat(int[][] in, int[][] out, int[] from, int[] writes) {
        int count = 0;
        for (int u = 0; u < in.length; u++) {
            from[u] = count;
            writes[u] = count + in[u].length;
            count = writes[u] + out[u].length;
        }
        from[in.length] = count;
        var all = new int[count];
        for (int u = 0; u < in.length; u++) {
            System.arraycopy(in[u], 0, all, from[u], in[u].length);
            System.arraycopy(out[u], 0, all, writes[u], out[u].length);
        }
        return all;
    }

    /** The nodes, the first {@code nodes} works, that read each of {@code count} values. */
    static int[][] readers(int[][] in, int nodes, int count) {
        var sizes = new int[count];
        for (int i = 0; i < nodes; i++) for (int x : in[i]) sizes[x]++;
        var lists = new int[count][];
        for (int v = 0; v < count; v++) lists[v] = new int[sizes[v]];
        Arrays.fill(sizes, 0);
        for (int i = 0; i < nodes; i++) for (int x : in[i]) lists[x][sizes[x]++] = i;
        return lists;
    }

    /** The inputs of a node that its outputs may overwrite, each followed by that output. */
    static int[] reusable(Node node, int[] in, int[] out, long[] bytes, Value[] values) {
        var pairs = new int[2 * in.length * out.length];
        int count = 0;
        for (int o : out) {
            for (int x : in) {
                if (bytes[x] == bytes[o] && Inplace.allowed(node, values[x], values[o])) {
                    pairs[count++] = x;
                    pairs[count++] = o;
                }
            }
        }
        return Arrays.copyOf(pairs, count);
    }
}
