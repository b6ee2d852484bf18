package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Tensorwise;
import dev.ebb.nn.Seed;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.model.Gpt2;
import dev.ebb.nn.model.Pretrained;
import dev.ebb.nn.model.Weights;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Text from a published model: its beginning, its output as it is drawn, and its end. */
class GenerateTest {
    private static final int SPACE = 26;
    private static final int EURO = 27;
    private static final int FIRST = 30;

    @TempDir Path folder;

    /**
     * A model whose tokens are letters and parts of a character, with a token before every text.
     */
    @BeforeEach
    void model() throws IOException {
        var drawn = Gpt2.of(Gpt2.Config.of(32, 24, 16, 1, 2), new Seed(1));
        var model = Tensorwise.map(drawn, t -> t.rank() == 2 ? t.mul(30) : t);
        Safetensors.write(
                folder.resolve("model.safetensors"),
                Weights.named(model, Pretrained.naming(model).orElseThrow()),
                Map.of("format", "pt"));
        config("config.json", "{\"model_type\": \"gpt2\", \"n_head\": 2}");
        var vocabulary = new ArrayList<String>();
        for (char c = 'a'; c <= 'z'; c++) vocabulary.add("\"" + c + "\": " + (c - 'a'));
        vocabulary.addAll(
                List.of("\"\u2581\": 26", "\"<0xE2>\": 27", "\"<0x82>\": 28", "\"<0xAC>\": 29"));
        Files.writeString(
                folder.resolve("tokenizer.json"),
                """
                {"model": {"type": "BPE", "vocab": {%s}, "merges": [], "byte_fallback": true},
                 "added_tokens": [{"id": 30, "content": "<s>", "special": true}],
                 "pre_tokenizer": {"type": "Metaspace", "prepend_scheme": "first", "split": false},
                 "post_processor": {"type": "TemplateProcessing",
                    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                               {"Sequence": {"id": "A", "type_id": 0}}],
                    "pair": [], "special_tokens": {"<s>": {"id": "<s>", "ids": [30]}}},
                 "decoder": {"type": "Sequence", "decoders": [
                    {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
                    {"type": "ByteFallback"}, {"type": "Fuse"},
                    {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}}
                """
                        .formatted(String.join(", ", vocabulary)));
    }

    private void config(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    private String written(String... more) {
        var words = new ArrayList<>(List.of("generate", "--from", folder.toString()));
        words.addAll(List.of("--length", "60", "--device", "cpu", "--temperature", "1"));
        words.addAll(List.of(more));
        words.add("the tide");
        var told = Shell.run(words.toArray(String[]::new));
        assertThat(told.err()).isEmpty();
        return told.out();
    }

    /** A space after a prompt is kept, and a character of three tokens is printed whole. */
    @Test
    void textComesAsItsTokensMeanInTheirPlace() throws IOException {
        var codec = TextCodec.of(folder, 32);
        var prompt = codec.encode("the");
        assertThat(prompt).containsExactly(FIRST, SPACE, 't' - 'a', 'h' - 'a', 'e' - 'a');
        var text = codec.streamAfter(prompt);
        assertThat(text.add(SPACE)).isEqualTo(" ");
        assertThat(text.add(0)).isEqualTo("a");
        assertThat(text.add(EURO)).isEmpty();
        assertThat(text.add(EURO + 1)).isEmpty();
        assertThat(text.add(EURO + 2)).isEqualTo("\u20ac");
        assertThat(text.add(FIRST)).isEmpty();
        assertThat(text.add(SPACE)).isEqualTo(" ");
        assertThat(text.add(EURO)).isEmpty();
        assertThat(text.end()).isEqualTo("\ufffd");
    }

    @Test
    void aTextEndsWhereItIsToldTo() throws IOException {
        var free = written().stripTrailing();
        assertThat(free).startsWith("the tide").hasSizeGreaterThan(30);
        var drawn = free.substring(8);
        // three characters are three tokens
        var word = drawn.substring(9, 12);
        assertThat(written("--stop", word).stripTrailing())
                .isEqualTo("the tide" + drawn.substring(0, drawn.indexOf(word)).stripTrailing());
        // the letter that is the end-of-text token
        char last =
                drawn.chars()
                        .filter(Character::isLetter)
                        .skip(7)
                        .mapToObj(c -> (char) c)
                        .findFirst()
                        .orElseThrow();
        var until = "the tide" + drawn.substring(0, drawn.indexOf(last)).stripTrailing();
        config("generation_config.json", "{\"eos_token_id\": [31, " + (last - 'a') + "]}");
        assertThat(written().stripTrailing()).isEqualTo(until);
    }

    @Test
    void aPromptWithoutTokensIsRefused() throws IOException {
        config(
                "tokenizer.json",
                "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": []}}");
        var told = Shell.run("generate", "--from", folder.toString(), "--device", "cpu", "\u00e9");
        assertThat(told.out()).isEmpty();
        assertThat(told.err()).contains("no token for any part of this prompt");
    }

    @Test
    void stopWordsAreFoundHoweverTextIsCut() {
        var stops = new StopSequences(List.of("abcab", "bd"));
        assertThat(stops.add("xab")).isEqualTo("x");
        assertThat(stops.add("ca")).isEmpty();
        assertThat(stops.add("c")).isEqualTo("abcac");
        assertThat(stops.add("yb")).isEqualTo("y");
        assertThat(stops.isFound()).isFalse();
        assertThat(stops.add("dz")).isEmpty();
        assertThat(stops.isFound()).isTrue();
        assertThat(stops.end()).isEmpty();
        assertThat(stops.add("more")).isEmpty();
        var held = new StopSequences(List.of("--"));
        assertThat(held.add("a-")).isEqualTo("a");
        assertThat(held.end()).isEqualTo("-");
    }
}
