package dev.ebb.spark;

import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Corpus;
import dev.ebb.tensor.Tensor;

import org.apache.spark.broadcast.Broadcast;

import java.util.List;

/** Passages of a text that every executor has, chosen by seed and step as in {@code ebb train}. */
public record TextBatches(Broadcast<byte[]> text, int batch, int context, long seed)
        implements Batches {

    @Override
    public List<Tensor> at(long step) {
        var passages =
                new Corpus(text.value()).batch(batch, context, new Seed(seed).of("data"), step);
        return List.of(passages.ids(), passages.targets());
    }
}
