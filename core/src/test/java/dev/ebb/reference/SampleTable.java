package dev.ebb.reference;

import java.util.List;
import java.util.stream.Stream;

/** Samples of ops; together the tables hold one of every built-in op. */
public interface SampleTable {

    List<Sample> samples();

    static List<Sample> all() {
        return Stream.of(
                        new ElementSamples(),
                        new ReduceSamples(),
                        new MoveSamples(),
                        new LinearSamples(),
                        new NetworkSamples(),
                        new ScienceSamples())
                .flatMap(t -> t.samples().stream())
                .toList();
    }
}
