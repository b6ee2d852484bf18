package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Node;

import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;

/** Makes the computations of nodes: one by one, or a whole program as one method. */
@FunctionalInterface
public interface KernelBinder {

    /**
     * The bytes outside its allocations that a queue uses after {@link #reserve} for these nodes,
     * by the number of workers that share their kernels.
     */
    default IntToLongFunction ownBytes(List<Node> nodes) {
        return _ -> 0;
    }

    /**
     * Allocates the memory that the kernels of these nodes, and of those of earlier calls, need
     * outside the arena if this number of workers share them. Must be called before the nodes are
     * bound. A node that was bound before this call may not run after it.
     */
    default void reserve(List<Node> nodes, int workers) {}

    /**
     * The computation of {@code node} on these buffers: running the result enqueues it. All buffers
     * lie in memory of the queue, aligned to 64 bytes; an output may be an input's memory where
     * {@link dev.ebb.plan.schedule.Inplace} allows it. The computation allocates nothing and gives
     * the same bits every time.
     */
    Runnable bind(Node node, List<Buffer> inputs, List<Buffer> outputs, Buffer workspace);

    /**
     * The number of runs after which a program is compiled as {@link #compiled one method}, which
     * takes milliseconds. The number is fixed, so that the decision does not depend on time.
     */
    default int compiledAfter() {
        return Integer.MAX_VALUE;
    }

    /**
     * Whether a program of these computations is compiled before its first run; decided by their
     * sizes only.
     */
    default boolean isCompiledAtOnce(List<Node> nodes) {
        return false;
    }

    /**
     * The whole {@code sequence} as one method that computes the same bits, reads the parameters in
     * their memory and writes the results to theirs. Empty if that is not faster, for example if
     * most computations have many elements.
     */
    default Optional<CompiledSequence> compiled(Sequence sequence) {
        return Optional.empty();
    }

    /**
     * As {@link #compiled}, with the first {@code arguments} parameters and all results in arrays
     * of doubles instead; all of these are F64.
     */
    default Optional<ArrayFunction> arrayFunction(Sequence sequence, int arguments) {
        return Optional.empty();
    }

    /**
     * The computation of {@code node}, and of every node of the same op on operands of the same
     * types, as one method that takes the addresses of operands and results. Empty if the device
     * gains nothing by it, and for the first few requests.
     */
    default Optional<RelocatableKernel> relocatable(Node node) {
        return Optional.empty();
    }
}
