package dev.ebb.nn.model;

import dev.ebb.nn.Block;
import dev.ebb.nn.Dense;

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
}
