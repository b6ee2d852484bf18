package dev.ebb.nn.tokens;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.nn.file.FileFormatException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Unknown or broken parts of a tokenizer.json are refused with their position. */
class TokenizerRefusalsTest {
    private static final String MODEL =
            "\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0, \"b\": 1, \"ab\": 2},"
                    + " \"merges\": [\"a b\"]}";

    private static Tokenizer load(Path folder, String json) throws IOException {
        var file = folder.resolve("tokenizer.json");
        Files.writeString(file, json);
        return Tokenizer.load(file);
    }

    private static void refused(Path folder, String json, String words) {
        assertThatThrownBy(() -> load(folder, json))
                .isInstanceOf(FileFormatException.class)
                .hasMessageContaining("tokenizer.json: ")
                .hasMessageContaining(words);
    }

    @Test
    void theLeastFileWorks(@TempDir Path folder) throws IOException {
        var tokenizer = load(folder, "{" + MODEL + "}");
        assertThat(tokenizer.encode("abba")).containsExactly(2, 1, 0);
        assertThat(tokenizer.vocabulary()).isEqualTo(3);
        assertThat(tokenizer.id("ab")).contains(2);
        assertThat(tokenizer.id("ba")).isEmpty();
        assertThat(tokenizer.encode("")).isEmpty();
    }

    @Test
    void unknownPartsAreNamedWithTheirPlace(@TempDir Path folder) {
        refused(folder, "{}", "model is missing");
        refused(
                folder,
                "{\"normalizer\": {\"type\": \"Precompiled\"}, " + MODEL + "}",
                "normalizer.type is \"Precompiled\"");
        refused(
                folder,
                "{\"pre_tokenizer\": {\"type\": \"Sequence\", \"pretokenizers\":"
                        + " [{\"type\": \"UnicodeScripts\"}]}, "
                        + MODEL
                        + "}",
                "pre_tokenizer.pretokenizers[0].type is \"UnicodeScripts\"");
        refused(
                folder,
                "{\"padding\": {\"strategy\": {\"Fixed\": 8}}, " + MODEL + "}",
                "padding is {");
        refused(folder, "{\"extra\": 1, " + MODEL + "}", "extra is 1");
        refused(
                folder,
                "{\"pre_tokenizer\": {\"type\": \"Split\", \"pattern\": {\"Regex\": \"(\"}}, "
                        + MODEL
                        + "}",
                "this regular expression is not known");
        refused(
                folder,
                "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0}, \"merges\": [\"a b\"]}}",
                "model.merges[0] makes 'ab' of 'a' and 'b'");
        refused(
                folder,
                "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": -1}, \"merges\": []}}",
                "model.vocab says that 'a' is -1");
        refused(
                folder,
                "{\"added_tokens\": [{\"id\": 5, \"content\": \"a\"}], " + MODEL + "}",
                "added_tokens[0].id is 5; but in vocab it is 0");
        refused(
                folder,
                "{\"model\": {\"type\": \"Unigram\", \"unk_id\": 7, \"vocab\": [[\"a\", -1]]}}",
                "model.unk_id is 7");
    }

    @Test
    void emptySignsAndNumbersThatAreNoneAreRefused(@TempDir Path folder) throws IOException {
        refused(
                folder,
                "{\"pre_tokenizer\": {\"type\": \"CharDelimiterSplit\", \"delimiter\": \"\"}, "
                        + MODEL
                        + "}",
                "a character at least is expected");
        refused(
                folder,
                "{\"decoder\": {\"type\": \"Strip\", \"content\": \"\", \"start\": 2000000000}, "
                        + MODEL
                        + "}",
                "a character at least is expected");
        refused(
                folder,
                "{\"post_processor\": {\"type\": \"TemplateProcessing\", \"single\":"
                        + " [{\"SpecialToken\": {\"id\": \"s\"}}], \"special_tokens\":"
                        + " {\"s\": {\"ids\": [\"x\"]}}}, "
                        + MODEL
                        + "}",
                "is no number of a token");
    }
}
