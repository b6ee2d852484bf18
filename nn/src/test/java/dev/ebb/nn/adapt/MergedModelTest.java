package dev.ebb.nn.adapt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.nn.Seed;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

class MergedModelTest {
    private static byte[] resource(String name) throws IOException {
        try (var in = MergedModelTest.class.getResourceAsStream("/models/" + name)) {
            return Objects.requireNonNull(in).readAllBytes();
        }
    }

    /** Early files of Gemma say "gelu" although it computes the tanh approximation. */
    @Test
    void bothKeysOfGemmasActivationSayWhatItComputes(@TempDir Path folder) throws IOException {
        Files.write(folder.resolve("model.safetensors"), resource("gemma.safetensors"));
        var told = Files.write(folder.resolve("config.json"), resource("gemma.json"));
        var config = Json.read(told).at("config").orElseThrow();
        assertThat(config.at("hidden_act")).contains(Json.of("gelu"));
        Files.writeString(told, config.toString());
        var to = Files.createDirectories(folder.resolve("merged"));
        try (var base = Pretrained.open(folder, "")) {
            var adapters = LoraAdapters.of(base.blank(), LoraConfig.of(2), new Seed(1));
            MergedModel.write(to, base, adapters);
        }
        var written = Json.read(to.resolve("config.json"));
        for (var key : new String[] {"hidden_act", "hidden_activation"})
            assertThat(written.at(key)).contains(Json.of("gelu_pytorch_tanh"));
        assertThat(written.at("vocab_size")).isEqualTo(config.at("vocab_size"));
        // adapters that were not trained add nothing
        var ids = Array.of(new int[][] {{3, 1, 4}});
        assertThat(Pretrained.load(to).logits(ids).toFloats())
                .containsExactly(Pretrained.load(folder).logits(ids).toFloats());
    }
}
