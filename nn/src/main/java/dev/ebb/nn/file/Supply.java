package dev.ebb.nn.file;

import dev.ebb.ir.Type;
import dev.ebb.tensor.Array;

import java.util.List;
import java.util.SequencedMap;
import java.util.function.Supplier;

/**
 * A tensor to be written or read: its data is asked for when its turn comes, so that a large model
 * goes into a file, or comes out of one, without a copy of it in memory.
 */
public record Supply(String name, Type type, Supplier<Array> data) {

    /** Tensors that are there already. */
    public static List<Supply> of(SequencedMap<String, Array> tensors) {
        return tensors.entrySet().stream()
                .map(e -> new Supply(e.getKey(), e.getValue().type(), e::getValue))
                .toList();
    }
}
