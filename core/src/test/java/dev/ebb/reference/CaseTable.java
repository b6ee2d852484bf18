package dev.ebb.reference;

import dev.ebb.Fn;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.Optional;

/** How the op of a reference case is written with this library. */
public interface CaseTable {

    /** The op of {@code c} as a function of its operands, or nothing if it is not in this table. */
    Optional<Fn<List<Tensor>, Tensor>> find(Case c);
}
