package dev.ebb.cuda.recipe;

import dev.ebb.cuda.driver.Gemm;

import java.util.List;
import java.util.Optional;

/** One step of a recipe. The steps of a recipe run in order. */
public sealed interface Action {

    /**
     * The launch of one kernel.
     *
     * @param text the source after the prelude; its entry point is {@code name}
     * @param blocks the number of blocks
     * @param threads the threads of each block
     * @param sharedBytes dynamic shared memory, in addition to that declared in the text
     * @param operands the arguments, eight bytes each
     */
    record Launch(
            String name,
            String text,
            long blocks,
            int threads,
            int sharedBytes,
            List<Operand> operands)
            implements Action {
        public Launch {
            operands = List.copyOf(operands);
            if (blocks < 1 || blocks > Integer.MAX_VALUE || threads < 1 || threads > 1024) {
                throw new IllegalArgumentException(
                        ("%s of %s blocks of %s threads; a grid has 1 to 2147483647 blocks of 1 to"
                                        + " 1024")
                                .formatted(name, blocks, threads));
            }
        }

        /** The same launch on other operands. */
        public Launch on(List<? extends Operand> others) {
            return new Launch(name, text, blocks, threads, sharedBytes, List.copyOf(others));
        }
    }

    /** Writes {@code bytes} zero bytes. */
    record Zero(Operand to, long bytes) implements Action {}

    /** Runs {@code first} unless input and output have the same address. */
    record Unless(Operand.In in, Operand.Out out, Action first) implements Action {}

    /**
     * A matrix product by cuBLASLt.
     *
     * @param bias the vector added to every row, if any
     * @param workspace the start of the library's part of the workspace
     */
    record Product(
            Gemm gemm, Operand a, Operand b, Operand c, Optional<Operand> bias, long workspace)
            implements Action {}
}
