package dev.ebb.tensor.network;

import dev.ebb.ir.Op;

/**
 * The largest element of each window, as an op whose windows can be read. All its operands are the
 * same tensor.
 */
public interface MaxPoolOp extends Op {
    /** The windows, with one number a spatial axis in each list. */
    Pool pool();
}
