package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Ebb;
import dev.ebb.Tensorwise;
import dev.ebb.ir.DType;
import dev.ebb.nn.Rotary;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Llama;
import dev.ebb.nn.model.Naming;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.nn.model.Weights;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Training that starts from a published file: {@code --from}. */
final class FromFileTest {
    private static final Path REFERENCE =
            Path.of("..", "nn", "src", "test", "resources", "dev", "ebb", "nn", "model");

    @TempDir Path folder;

    private Shell.Result train(String name, Path from, String... more) throws IOException {
        var arguments = Shell.tiny(folder, name, 2);
        arguments.addAll(List.of("--from", from.toString()));
        arguments.addAll(List.of(more));
        return Shell.run(arguments);
    }

    private Path file(SequencedMap<String, Array> tensors) throws IOException {
        var file = folder.resolve("model.safetensors");
        Safetensors.write(file, tensors, Map.of());
        return file;
    }

    private static Gpt2 gpt() {
        return Gpt2.of(Gpt2.Config.of(256, 32, 16, 2, 2), new Seed(3));
    }

    private static SequencedMap<String, Array> published(Gpt2 model) {
        return Weights.named(model, Naming.gpt2());
    }

    @Test
    void a_llama_by_its_published_names_trains_goes_on_and_writes() throws IOException {
        var config =
                new Llama.Config(
                        256, 64, 32, 2, 4, 2, 8, 48, Rotary.of(5e4), 1e-6, Llama.Variant.plain());
        var file = file(Weights.named(Llama.of(config, new Seed(2)), Naming.llama()));
        Files.writeString(
                folder.resolve("config.json"),
                """
                {"num_attention_heads": 4, "max_position_embeddings": 64,
                 "rope_theta": 50000.0, "rms_norm_eps": 1e-6}
                """);
        var begun = train("llama", file);
        assertThat(begun.code()).as(begun.err()).isZero();
        assertThat(begun.out()).contains("Llama: 2 layers, width 32, 4 heads");
        var run = new RunFolder(folder.resolve("llama"));
        var read = Pretrained.load(run.checkpoint());
        assertThat(((Llama) read).config()).isEqualTo(config);
        var arguments = Shell.tiny(folder, "llama", 4);
        arguments.add("--resume");
        var resumed = Shell.run(arguments);
        assertThat(resumed.code()).as(resumed.err()).isZero();
        assertThat(Shell.whole(folder.resolve("llama.json"), "steps")).isEqualTo(4);
        var written =
                Shell.run("generate", "--from", run.checkpoint().toString(), "--length", "3", "a");
        assertThat(written.code()).as(written.err()).isZero();
    }

    @Test
    void the_reference_gpt2_gives_its_loss_and_gradients() throws IOException {
        var file = REFERENCE.resolve("gpt2-tiny.safetensors");
        var model = (Gpt2) TrainCommand.load(file, "weight/");
        try (var tensors = Safetensors.open(file)) {
            var ids = batch(tensors);
            int time = ids.dim(1);
            var found =
                    Ebb.valueAndGrad(
                                    (Gpt2 m) ->
                                            m.loss(
                                                    ids.slice(1, 0, time - 1),
                                                    ids.slice(1, 1, time)))
                            .apply(model);
            var told = Json.parse(Files.readString(REFERENCE.resolve("gpt2-tiny.json")));
            double expected = told.at("loss").flatMap(Json::number).orElseThrow();
            assertThat(found.value().item()).isCloseTo(expected, within(1e-5));
            var grad = Weights.load(tensors, model, Naming.gpt2().behind("grad/transformer."));
            var expectedSlopes = Tensorwise.list(grad);
            var slopes = Tensorwise.list(found.grad());
            for (int i = 0; i < slopes.size(); i++) close(slopes.get(i), expectedSlopes.get(i));
        }
        var trained = train("tiny", file, "--prefix", "weight/");
        assertThat(trained.code()).as(trained.err()).isZero();
        assertThat(Shell.whole(folder.resolve("tiny.json"), "parameters"))
                .isEqualTo(Weights.count(model));
    }

    private static Array batch(Safetensors file) throws IOException {
        var name =
                file.names().stream()
                        .filter(n -> !n.startsWith("weight/") && !n.startsWith("grad/"))
                        .findFirst()
                        .orElseThrow();
        var stored = file.read(name);
        return Array.of(stored.type().with(DType.I32), stored.toDoubles());
    }

    private static void close(Tensor found, Tensor expected) {
        var a = found.toDoubles();
        var b = expected.toDoubles();
        double largest = Math.max(1e-8, Arrays.stream(b).map(Math::abs).max().orElse(0));
        for (int i = 0; i < a.length; i++) assertThat(a[i]).isCloseTo(b[i], within(1e-4 * largest));
    }

    @Test
    void a_file_that_is_wrong_is_told_what_is_wrong() throws IOException {
        Files.writeString(folder.resolve("config.json"), "{\"n_head\": 2}");
        var whole = Files.readAllBytes(file(published(gpt())));
        var cut = Files.write(folder.resolve("cut"), Arrays.copyOf(whole, 5000));
        said(train("a", cut), "cut", "truncated");
        var missing = published(gpt());
        missing.remove("h.1.mlp.c_fc.weight");
        said(train("b", file(missing)), "h.1.mlp.c_fc.weight is missing", "f32[16,64]");
        var misshapen = published(gpt());
        misshapen.put("h.0.ln_1.bias", Array.of(new float[5]));
        said(train("c", file(misshapen)), "h.0.ln_1.bias is f32[5]", "f32[16] is expected");
        var other = published(gpt());
        other.remove("wte.weight");
        said(train("d", file(other)), "neither a GPT-2 nor a Llama", "wte.weight");
        var empty = Files.createDirectory(folder.resolve("empty"));
        said(train("e", empty), "the folder holds neither model.safetensors nor");
        said(train("f", folder.resolve("nothing")), "nothing: there is no such file");
        var narrow = Gpt2.of(Gpt2.Config.of(40, 32, 16, 2, 2), new Seed(3));
        said(train("g", file(published(narrow))), "vocabulary of 40", "256 bytes");
        var far = Shell.tiny(folder, "h", 1);
        far.set(far.indexOf("--context") + 1, "33");
        far.addAll(List.of("--from", file(published(gpt())).toString()));
        said(Shell.run(far), "a context of 33 is more than the 32");
    }

    private static void said(Shell.Result result, String... says) {
        assertThat(result.code()).as(result.err()).isEqualTo(1);
        assertThat(result.err()).contains(says).doesNotContain("\tat ");
    }
}
