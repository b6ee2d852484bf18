package dev.ebb.cpu.product;

/**
 * The innermost products of one element type: some rows by two vectors of columns, which stay in
 * registers along the depth. In every block, an element is one chain of multiply-adds from zero,
 * which is then stored or added to the result.
 *
 * <p>All operands are arrays on the heap: C2 removes the range checks of arrays but not of
 * segments, and it gives a method a limited number of nodes, of which an access to a segment takes
 * many. Beyond the limit vectors are boxed and a block runs ten times slower. For the same reason a
 * block must never be inlined into a larger method; methods of more than 325 bytes of bytecode are
 * not, and {@code BlockClassTest} holds these to it.
 *
 * @param <A> an array of such elements
 */
public interface Blocks<A> {
    /**
     * Stores or adds {@code c[ct + i * row + j] = sum_k a[at + i * stride + k] * b[bt + k * LANES +
     * j]}, i below {@code height}.
     */
    void rows(
            int height,
            int depth,
            A a,
            int at,
            int stride,
            A b,
            int bt,
            A c,
            int ct,
            int row,
            boolean add);

    /**
     * Stores or adds {@code c[ct + i * row + j] = sum_k a[at + i + k * step] * b[bt + k * LANES +
     * j]}, i below {@code height}.
     */
    void columns(
            int height,
            int depth,
            A a,
            int at,
            int step,
            A b,
            int bt,
            A c,
            int ct,
            int row,
            boolean add);
}
