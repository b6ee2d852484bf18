package dev.ebb.cuda.recipe;

import dev.ebb.cuda.driver.Gemm;

import java.util.List;
import java.util.Optional;

/** One step of a recipe; the steps of a recipe run in order. */
public sealed interface Action {

    /**
     * One kernel.
     *
     * @param text the source after the prelude; its entry is {@code name}
     * @param blocks how many blocks
     * @param threads of each block
     * @param sharedBytes shared memory beyond what the text declares
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
                        name
                                + " of "
                                + blocks
                                + " blocks of "
                                + threads
                                + " threads; a grid has 1 to 2147483647 blocks of 1 to 1024");
            }
        }
    }

    /** {@code bytes} zeros. */
    record Zero(Operand to, long bytes) implements Action {}

    /** {@code first}, unless input and output lie in the same place. */
    record Unless(Operand.In in, Operand.Out out, Action first) implements Action {}

    /**
     * A product by the library.
     *
     * @param bias what is added to every row, if anything
     * @param workspace where the library's part of the workspace begins
     */
    record Product(
            Gemm gemm, Operand a, Operand b, Operand c, Optional<Operand> bias, long workspace)
            implements Action {}
}
