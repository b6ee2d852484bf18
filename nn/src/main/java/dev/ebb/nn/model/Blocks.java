package dev.ebb.nn.model;

import dev.ebb.Ebb;
import dev.ebb.nn.Block;
import dev.ebb.nn.Dense;
import dev.ebb.tensor.Tensor;

import java.util.List;
import java.util.stream.IntStream;

/** Operations on all blocks of a model. */
final class Blocks {
    private Blocks() {}

    static List<Block> rewritten(List<Block> blocks, Dense.Rewrite change) {
        return IntStream.range(0, blocks.size())
                .mapToObj(i -> blocks.get(i).rewritten("blocks." + i, change))
                .toList();
    }

    static Tensor through(List<Block> blocks, Tensor x) {
        for (int i = 0; i < blocks.size(); i++) {
            var block = blocks.get(i);
            var in = x;
            x = Ebb.region("block " + i, () -> block.apply(in));
        }
        return x;
    }
}
