package dev.ebb.examples;

import dev.ebb.nn.Activation;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.Npy;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.Mlp;
import dev.ebb.nn.model.Naming;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Reads and writes tensors in files that Python can read. */
public final class Example7Files {
    private Example7Files() {}

    public static void main(String[] args) throws IOException {
        var folder = Files.createTempDirectory("ebb");
        System.out.println(roundTrip(folder));
    }

    // [files
    static boolean roundTrip(Path folder) throws IOException {
        var net = Mlp.of(List.of(2, 3, 1), Activation.RELU, new Seed(1));
        var file = folder.resolve("net.safetensors");
        Safetensors.write(file, Weights.named(net, Naming.own()), Map.of("made", "by Ebb"));
        try (var stored = Safetensors.open(file)) {
            var back = Weights.load(stored, net, Naming.own());
            Npy.write(folder.resolve("bias.npy"), (Array) back.layers().getFirst().bias());
            return Weights.digest(back).equals(Weights.digest(net));
        }
    }
    // files]
}
