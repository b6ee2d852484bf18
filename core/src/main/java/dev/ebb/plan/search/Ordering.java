package dev.ebb.plan.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/**
 * Orders in which every node is computed once. One is the graph's own, as far as in-place updates
 * allow: a node that overwrites a parameter waits for all other readers of that parameter. The
 * other moves nodes, earlier if that frees more than it allocates (a mask instead of an activation,
 * a statistic instead of its rows, a parameter's update instead of its gradient), later if its
 * output is larger than its operands. Each move lowers the sum of memory over time; the peak
 * usually follows.
 */
public final class Ordering {
    private static final int ITERATIONS = 3;

    private final SearchModel model;
    private final int[][] before;
    private final int[][] after;

    /** Nodes that overwrite a parameter, and all that must wait for them. */
    private final boolean[] late;

    private int[] order;
    private final int[] step;

    /** Whether states that lie outside the arena are updated as early as possible. */
    private final boolean hurried;

    /** Whether parameters that start outside the arena count as memory only where they are read. */
    private final boolean fetching;

    public Ordering(SearchModel model) {
        this(model, true);
    }

    /**
     * If not {@code hurried}, states outside the arena may be updated long after their gradients
     * could be computed, which takes more time and sometimes less memory.
     */
    Ordering(SearchModel model, boolean hurried) {
        this.model = model;
        fetching = hurried;
        this.hurried = hurried && Arrays.stream(model.previous).anyMatch(p -> p >= 0);
        int n = model.nodes.size();
        before = new int[n][];
        for (int u = 0; u < n; u++) before[u] = predecessors(u);
        int lastEffect = -1;
        for (int u = 0; u < n; u++) {
            if (!model.effect[u]) continue;
            if (lastEffect >= 0) {
                before[u] = Arrays.copyOf(before[u], before[u].length + 1);
                before[u][before[u].length - 1] = lastEffect;
            }
            lastEffect = u;
        }
        after = successors();
        late = late();
        order = settle(sorted());
        step = new int[n];
    }

    private boolean[] late() {
        var marked = new boolean[before.length];
        for (int u : sorted()) {
            for (int o : model.out[u])
                marked[u] |= (hurried ? model.overwritten(o) : model.place[o]) >= 0;
            for (int p : before[u]) marked[u] |= marked[p];
        }
        return marked;
    }

    /**
     * Whether {@code u} overwrites a parameter or waits for a node that does; such nodes are
     * computed once.
     */
    public boolean isLate(int u) {
        return u < late.length && late[u];
    }

    /**
     * The sequence with its late nodes moved to the earliest step at which their operands have been
     * computed and no later work, recomputations included, reads a value that they overwrite.
     */
    public int[] settle(int[] sequence) {
        var first = new int[model.works];
        var last = new int[model.works];
        Arrays.fill(first, -1);
        var rest = Arrays.stream(sequence).filter(u -> !isLate(u)).toArray();
        for (int i = rest.length - 1; i >= 0; i--) first[rest[i]] = i;
        for (int i = 0; i < rest.length; i++) last[rest[i]] = i;
        var waiting = new ArrayList<List<Integer>>();
        for (int i = 0; i <= rest.length; i++) waiting.add(new ArrayList<>());
        for (int u : sequence) {
            if (!isLate(u)) continue;
            int at = -1;
            for (int p : before[u]) at = Math.max(at, mayRunAgainAfter(p, u) ? first[p] : last[p]);
            first[u] = at;
            last[u] = at;
            waiting.get(at + 1).add(u);
        }
        var settled = new int[sequence.length];
        int length = 0;
        for (int i = 0; i <= rest.length; i++) {
            for (int u : waiting.get(i)) settled[length++] = u;
            if (i < rest.length) settled[length++] = rest[i];
        }
        return settled;
    }

    /**
     * Whether {@code p} may be computed again after {@code u}, because only {@code u} reads its
     * outputs.
     */
    private boolean mayRunAgainAfter(int p, int u) {
        for (int o : model.out[u])
            for (int x : model.in[p]) if (x == model.overwritten(o)) return false;
        for (int x : model.in[u]) if (model.maker(x) == p) return true;
        return false;
    }

    /** Whether some state lies outside the arena and is updated as early as possible. */
    boolean isHurried() {
        return hurried;
    }

    /** The graph's order, with in-place updates as early as possible. */
    public int[] plain() {
        return order.clone();
    }

    private int[] predecessors(int u) {
        var needed = IntStream.builder();
        for (int x : model.in[u]) if (model.maker(x) >= 0) needed.add(model.maker(x));
        for (int o : model.out[u]) {
            int gone = model.overwritten(o);
            if (gone < 0) continue;
            for (int reader : model.readers[gone]) if (reader != u) needed.add(reader);
        }
        return needed.build().distinct().toArray();
    }

    private int[][] successors() {
        int n = before.length;
        var count = new int[n];
        for (int[] list : before) for (int u : list) count[u]++;
        var lists = new int[n][];
        for (int u = 0; u < n; u++) lists[u] = new int[count[u]];
        Arrays.fill(count, 0);
        for (int u = 0; u < n; u++) for (int p : before[u]) lists[p][count[p]++] = u;
        return lists;
    }

    private int[] sorted() {
        int n = before.length;
        var waiting = new int[n];
        var ready = new PriorityQueue<Integer>();
        for (int u = 0; u < n; u++) {
            waiting[u] = before[u].length;
            if (waiting[u] == 0) ready.add(u);
        }
        var sequence = new int[n];
        int length = 0;
        while (!ready.isEmpty()) {
            int u = ready.poll();
            sequence[length++] = u;
            for (int s : after[u]) if (--waiting[s] == 0) ready.add(s);
        }
        if (length < n) throw new IllegalArgumentException(circle(waiting));
        return sequence;
    }

    private String circle(int[] waiting) {
        for (int u = 0; u < waiting.length; u++) {
            for (int o : model.out[u]) {
                if (waiting[u] > 0 && model.place[o] >= 0) {
                    return model.values[model.place[o]]
                            + " is still read after "
                            + model.nodes.get(u)
                            + " has written over it; do not replace it in place, or read it before";
                }
            }
        }
        return "the effects and updates of the graph wait for each other";
    }

    /** The greedy order: next is always the node that frees most memory or takes least. */
    int[] thrifty() {
        int n = before.length;
        var waiting = new int[n];
        var left = new int[model.values.length];
        for (int v = 0; v < left.length; v++) left[v] = model.readers[v].length;
        var ready = new ArrayList<Integer>();
        for (int u = 0; u < n; u++) {
            waiting[u] = before[u].length;
            if (waiting[u] == 0) ready.add(u);
        }
        var sequence = new int[n];
        for (int i = 0; i < n; i++) {
            int best = 0;
            long least = Long.MAX_VALUE;
            for (int k = 0; k < ready.size(); k++) {
                long growth = growth(ready.get(k), left);
                if (growth < least || (growth == least && ready.get(k) < ready.get(best))) {
                    least = growth;
                    best = k;
                }
            }
            int u = ready.get(best);
            ready.set(best, ready.getLast());
            ready.removeLast();
            sequence[i] = u;
            for (int x : model.in[u]) left[x]--;
            for (int s : after[u]) if (--waiting[s] == 0) ready.add(s);
        }
        order = sequence;
        return tidy();
    }

    /**
     * The change of memory if {@code u} is computed now, when {@code left} readers of each value
     * remain.
     */
    private long growth(int u, int[] left) {
        long sum = 0;
        for (int o : model.out[u]) if (left[o] > 0 || model.pinned[o]) sum += model.bytes[o];
        for (int x : model.in[u]) if (left[x] == 1 && isHeld(x)) sum -= model.bytes[x];
        return sum;
    }

    /**
     * Whether {@code x} takes memory until its last reader; a parameter that starts outside the
     * arena does not, as it is fetched when it is read.
     */
    private boolean isHeld(int x) {
        return !model.pinned[x] && (!fetching || model.initial[x] || model.maker(x) >= 0);
    }

    /** The order with nodes moved to positions where they save memory. */
    int[] tidy() {
        for (int iteration = 0; iteration < ITERATIONS; iteration++) {
            boolean moved = false;
            for (int i = 0; i < order.length; i++) step[order[i]] = i;
            for (int u : order.clone()) moved |= hoist(u);
            for (int u : reversed(order)) moved |= sink(u);
            if (!moved) break;
        }
        // transfers of states take long, whatever memory their updates save elsewhere
        if (hurried) order = settle(order);
        return order.clone();
    }

    private static int[] reversed(int[] a) {
        var r = new int[a.length];
        for (int i = 0; i < a.length; i++) r[i] = a[a.length - 1 - i];
        return r;
    }

    /** Moves {@code u} to the earlier step where it saves most. */
    private boolean hoist(int u) {
        int here = step[u];
        int earliest = 0;
        for (int p : before[u]) earliest = Math.max(earliest, step[p] + 1);
        if (earliest >= here) return false;
        double best = 0;
        int target = here;
        for (int k = -1; k < model.in[u].length; k++) {
            int to = k < 0 ? earliest : Math.max(earliest, lastOther(model.in[u][k], u) + 1);
            if (to >= here) continue;
            double change = (double) (here - to) * kept(u);
            for (int x : model.in[u]) {
                int other = lastOther(x, u);
                if (isHeld(x) && other < here)
                    change -= (double) model.bytes[x] * (here - Math.max(to, other + 1));
            }
            if (change < best || (change == best && change < 0 && to > target)) {
                best = change;
                target = to;
            }
        }
        if (target == here) return false;
        shift(u, here, target);
        return true;
    }

    /** Moves {@code u} to just before its first reader, if that saves anything. */
    private boolean sink(int u) {
        int here = step[u];
        int target = order.length;
        for (int s : after[u]) target = Math.min(target, step[s]);
        if (after[u].length == 0 || target <= here + 1) return false;
        double change = -(double) (target - 1 - here) * kept(u);
        for (int x : model.in[u]) {
            int other = Math.max(here, lastOther(x, u));
            if (isHeld(x) && other < target - 1)
                change += (double) model.bytes[x] * (target - 1 - other);
        }
        if (change >= 0) return false;
        shift(u, here, target - 1);
        return true;
    }

    /** The bytes that outlive the computation of {@code u}. */
    private long kept(int u) {
        long sum = 0;
        for (int o : model.out[u]) {
            if (model.readers[o].length > 0 || model.pinned[o]) sum += model.bytes[o];
        }
        return sum;
    }

    /** The last step other than that of {@code u} which reads or writes {@code x}; -1 for none. */
    private int lastOther(int x, int u) {
        int last = model.maker(x) >= 0 ? step[model.maker(x)] : -1;
        for (int reader : model.readers[x]) if (reader != u) last = Math.max(last, step[reader]);
        return last;
    }

    private void shift(int u, int from, int to) {
        if (to < from) System.arraycopy(order, to, order, to + 1, from - to);
        else System.arraycopy(order, from + 1, order, from, to - from);
        order[to] = u;
        for (int i = Math.min(from, to); i <= Math.max(from, to); i++) step[order[i]] = i;
    }
}
