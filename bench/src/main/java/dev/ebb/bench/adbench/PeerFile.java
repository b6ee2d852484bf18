package dev.ebb.bench.adbench;

import dev.ebb.nn.file.Safetensors;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Writes a problem to a file that {@code adbench.py} reads: its inputs and Ebb's results, so that
 * PyTorch is timed on the same function of the same data. Of a large result the file has some
 * entries and the sum of all magnitudes.
 */
final class PeerFile {
    private static final int MOST_ENTRIES = 100_000;

    /**
     * Not a multiple of any row's length, so that every column of a large result is among the
     * entries.
     */
    private static final int STRIDE = 101;

    private PeerFile() {}

    /** Writes the file of a problem into a folder. */
    static Path write(Problem problem, Path folder) throws IOException {
        var tensors = problem.given().get();
        var notes = new LinkedHashMap<String, String>();
        notes.put("problem", problem.kind());
        notes.put("name", problem.name());
        var results = problem.byEbb().get().stream().map(Tensor::toDoubles).toList();
        for (int i = 0; i < results.size(); i++) {
            var all = results.get(i);
            int stride = all.length > MOST_ENTRIES ? STRIDE : 1;
            notes.put("stride " + i, Integer.toString(stride));
            tensors.put("result " + i, Array.of(everyNth(all, stride)));
            tensors.put("sum " + i, Array.of(DoubleStream.of(all).map(Math::abs).sum()));
        }
        Files.createDirectories(folder);
        var file = folder.resolve(problem.name().replaceAll("\\W+", "-") + ".safetensors");
        Safetensors.write(file, tensors, notes);
        return file;
    }

    private static double[] everyNth(double[] all, int stride) {
        return IntStream.range(0, Math.ceilDiv(all.length, stride))
                .mapToDouble(i -> all[i * stride])
                .toArray();
    }
}
