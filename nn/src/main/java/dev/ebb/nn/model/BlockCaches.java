package dev.ebb.nn.model;

import dev.ebb.Ebb;
import dev.ebb.ir.DType;
import dev.ebb.nn.Block;
import dev.ebb.nn.KeyValueCache;
import dev.ebb.nn.Positions;
import dev.ebb.tensor.Tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The caches of a stack of blocks, one for each. */
final class BlockCaches {
    private BlockCaches() {}

    static List<KeyValueCache> of(
            int layers, int batch, int heads, int context, int headWidth, DType dtype) {
        return Stream.generate(() -> KeyValueCache.empty(batch, heads, context, headWidth, dtype))
                .limit(layers)
                .toList();
    }

    /** The output of the last block, and all updated caches. */
    record Reached(Tensor out, List<KeyValueCache> caches) {}

    static Reached through(List<Block> blocks, Tensor x, List<KeyValueCache> past, Positions at) {
        if (past.size() != blocks.size()) {
            throw new IllegalArgumentException(
                    "%s caches for a model of %s layers; AutoregressiveModel.caches makes them"
                            .formatted(past.size(), blocks.size()));
        }
        var caches = new ArrayList<KeyValueCache>();
        var out = x;
        for (int i = 0; i < blocks.size(); i++) {
            var block = blocks.get(i);
            var cache = past.get(i);
            var in = out;
            var step = Ebb.region("block " + i, () -> block.apply(in, cache, at));
            caches.add(step.cache());
            out = step.out();
        }
        return new Reached(out, caches);
    }
}
