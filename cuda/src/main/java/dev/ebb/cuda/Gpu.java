package dev.ebb.cuda;

import dev.ebb.cuda.driver.Gemm;
import dev.ebb.cuda.recipe.Action;

import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/** The operations of a GPU that {@link CudaQueue} needs; tests implement them without a GPU. */
interface Gpu {

    /** Makes the GPU's context current; every thread calls this before any other method. */
    void enter();

    Streams streams();

    /** The name and the properties of the GPU, in one line. */
    String describe();

    /** Identifies the GPU model and library versions, which determine speed and bits. */
    String signature();

    /** Bytes of GPU memory in use directly after the context was created. */
    long usedBytes();

    /** Compiles those of these kernels that are not compiled yet, all together. */
    void compile(Collection<Action.Launch> launches);

    /** A launch with its arguments; running it enqueues the kernel on the stream. */
    Runnable launch(Action.Launch launch, List<Long> arguments, long stream);

    /**
     * A matrix product by cuBLASLt; running it enqueues the product on the stream.
     *
     * @param bias the address of the product's bias, if it has one
     */
    Runnable product(
            Gemm gemm, long a, long b, long c, OptionalLong bias, long workspace, long stream);
}
