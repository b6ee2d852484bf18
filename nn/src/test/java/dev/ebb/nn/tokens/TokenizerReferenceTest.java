package dev.ebb.nn.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.nn.file.Json;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/**
 * Ten thousand lines of many scripts, code and emoji: tokens and decoded texts are those of the
 * package {@code tokenizers} (made by {@code src/test/scripts/tokens/make.mjs}). The first lines
 * are compared whole, all of them by digests of a hundred lines each.
 */
class TokenizerReferenceTest {
    private static final int BLOCK = 100;
    private static List<String> lines = List.of();
    private static Json references = new Json.Nothing();

    @BeforeAll
    static void read() throws IOException {
        lines = texts(json("lines.json.gz"));
        assertThat(lines).hasSize(10_000);
        references = json("expected.json.gz");
    }

    private static InputStream resource(String name) throws IOException {
        var stream = TokenizerReferenceTest.class.getResourceAsStream("/tokens/" + name);
        return new GZIPInputStream(Objects.requireNonNull(stream, name));
    }

    private static Json json(String name) throws IOException {
        try (var in = resource(name)) {
            return Json.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    static Tokenizer tokenizer(String name, Path folder) throws IOException {
        var file = folder.resolve("tokenizer.json");
        try (var in = resource(name + ".json.gz")) {
            Files.write(file, in.readAllBytes());
        }
        return Tokenizer.load(file);
    }

    private static List<String> texts(Json list) {
        return list.elements().stream().map(t -> t.text().orElseThrow()).toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpt2",
                "roberta",
                "llama3",
                "qwen2",
                "llama2",
                "gemma",
                "unknowns",
                "bert",
                "cased",
                "words",
                "unigram"
            })
    void tokensAreTheReferences(String name, @TempDir Path folder) throws IOException {
        var tokenizer = tokenizer(name, folder);
        var expected = references.at(name).orElseThrow();
        var ids = new ArrayList<int[]>();
        var decoded = new ArrayList<String>();
        for (var line : lines) {
            var own = tokenizer.encodeWhole(line);
            ids.add(own);
            decoded.add(tokenizer.decode(own));
        }
        var whole = expected.at("lines").orElseThrow().elements();
        var wholeTexts = texts(expected.at("texts").orElseThrow());
        for (int i = 0; i < whole.size(); i++) {
            var wanted =
                    whole.get(i).elements().stream()
                            .mapToInt(n -> n.whole().orElseThrow().intValue())
                            .toArray();
            assertThat(ids.get(i)).as("line %d: %s", i, lines.get(i)).isEqualTo(wanted);
            assertThat(decoded.get(i)).as("line %d", i).isEqualTo(wholeTexts.get(i));
        }
        var blocks = texts(expected.at("blocks").orElseThrow());
        for (int b = 0; b < blocks.size(); b++) {
            var some = ids.subList(b * BLOCK, (b + 1) * BLOCK);
            var tokens =
                    some.stream()
                            .map(TokenizerReferenceTest::line)
                            .collect(Collectors.joining("\n"));
            var text = String.join("\0", decoded.subList(b * BLOCK, (b + 1) * BLOCK));
            assertThat(sha(tokens) + sha(text))
                    .as("lines %d to %d", b * BLOCK, (b + 1) * BLOCK - 1)
                    .isEqualTo(blocks.get(b));
        }
    }

    private static String line(int[] ids) {
        return Arrays.stream(ids).mapToObj(String::valueOf).collect(Collectors.joining(" "));
    }

    private static String sha(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of()
                    .formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)))
                    .substring(0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
