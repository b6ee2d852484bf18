package dev.ebb.ir;

/**
 * How much a device wants merged into one kernel.
 *
 * @param cheap a producer with several consumers is computed again in each of them if its body
 *     costs at most this many operations an element
 * @param cheapFromNothing the same for a producer that reads nothing of its own size: a constant,
 *     an index, a random mask
 * @param operands the most operands of a kernel
 * @param body the most operations an element of a kernel
 * @param epilogue the most operations an element that follow a product in its own kernel
 * @param decoding the most operations an element with which a product makes its right factor of
 *     fewer bytes while it multiplies; zero if it reads its factors as they are
 * @param biases whether a vector that is added to every row of a product is added by the product's
 *     own kernel, before anything else is merged; for floats of at most 32 bits
 * @param shortestRow the fewest elements of a row for which folds of rows become one kernel
 * @param rowBytes the most bytes that all operands of one row may take
 * @param widestColumns the widest rows whose columns are folded together with numbers of the rows
 * @param rowNumbers the most numbers kept for a row
 * @param folds the most folds of the same elements, or results of the same rows, that one kernel
 *     computes
 * @param fewestRows the fewest rows of which one kernel computes several results
 */
public record FusionLimits(
        int cheap,
        int cheapFromNothing,
        int operands,
        int body,
        int epilogue,
        int decoding,
        boolean biases,
        long shortestRow,
        long rowBytes,
        long widestColumns,
        int rowNumbers,
        int folds,
        long fewestRows) {

    private static final long NEVER = Long.MAX_VALUE;

    /**
     * Limits of a processor: rows stay in its first-level cache, dear bodies run faster over whole
     * rows than over the tiles of a product, and short rows are folded faster many at a time.
     */
    public static FusionLimits processor() {
        return new FusionLimits(10, 64, 14, 400, 4, 32, false, 64, 64 * 1024, 1024, 16, 1, NEVER);
    }
}
