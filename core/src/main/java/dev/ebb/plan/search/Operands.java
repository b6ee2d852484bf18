package dev.ebb.plan.search;

import java.util.Arrays;

/**
 * What works read and write in one array, for replays, which read memory in order: what work {@code
 * u} reads and then writes is {@code all[from[u]..from[u + 1])}, its outputs from {@code writes[u]}
 * on.
 */
final class Operands {
    final int[] all;
    final int[] from;
    final int[] writes;

    Operands(int[][] in, int[][] out) {
        int works = in.length;
        from = new int[works + 1];
        writes = new int[works];
        for (int u = 0; u < works; u++) {
            writes[u] = from[u] + in[u].length;
            from[u + 1] = writes[u] + out[u].length;
        }
        all = new int[from[works]];
        for (int u = 0; u < works; u++) {
            System.arraycopy(in[u], 0, all, from[u], in[u].length);
            System.arraycopy(out[u], 0, all, writes[u], out[u].length);
        }
    }

    /** For each of {@code count} values those of the first {@code nodes} works that read it. */
    static int[][] readers(int[][] in, int nodes, int count) {
        var sizes = new int[count];
        for (int i = 0; i < nodes; i++) for (int x : in[i]) sizes[x]++;
        var lists = new int[count][];
        for (int v = 0; v < count; v++) lists[v] = new int[sizes[v]];
        Arrays.fill(sizes, 0);
        for (int i = 0; i < nodes; i++) for (int x : in[i]) lists[x][sizes[x]++] = i;
        return lists;
    }
}
