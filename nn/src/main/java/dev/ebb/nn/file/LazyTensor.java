package dev.ebb.nn.file;

import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;

import java.util.List;
import java.util.SequencedMap;
import java.util.function.Supplier;

/**
 * A tensor to be written or read, whose data is requested only when it is needed. So a large model
 * can be written to a file, or read from one, without a copy in memory.
 */
public record LazyTensor(String name, Type type, Supplier<Array> data) {

    /** Supplies of tensors that are in memory. */
    public static List<LazyTensor> of(SequencedMap<String, Array> tensors) {
        return tensors.entrySet().stream()
                .map(e -> new LazyTensor(e.getKey(), e.getValue().type(), e::getValue))
                .toList();
    }
}
