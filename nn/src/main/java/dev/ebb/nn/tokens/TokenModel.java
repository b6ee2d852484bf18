package dev.ebb.nn.tokens;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Turns words into tokens: {@code model} in tokenizer.json. */
interface TokenModel {

    /** Adds the tokens of a word. */
    void encode(String word, TokenIds out);

    /** The numbers of tokens by their texts. */
    Map<String, Integer> vocabulary();

    static TokenModel read(ConfigKeys keys) throws FileFormatException {
        var kind =
                keys.text("type").orElseGet(() -> keys.leavesOut("merges") ? "WordPiece" : "BPE");
        var model =
                switch (kind) {
                    case "BPE" -> BytePairs.read(keys);
                    case "Unigram" -> Unigram.read(keys);
                    case "WordPiece" -> WordPiece.read(keys);
                    case "WordLevel" -> WordLevel.read(keys);
                    default ->
                            throw keys.unknown(
                                    "type", "known are BPE, Unigram, WordPiece and WordLevel");
                };
        keys.refuseOthers(Set.of());
        return model;
    }

    /** The numbers of tokens, from a JSON object of texts and numbers. */
    static Map<String, Integer> vocabulary(ConfigKeys keys, String key) throws FileFormatException {
        var value = keys.value(key);
        if (value.isEmpty()) throw keys.missing(key);
        if (!(value.get() instanceof Json.Obj(var members)))
            throw new FileFormatException(keys.place(key) + " should be an object of numbers");
        var all = HashMap.<String, Integer>newHashMap(members.size());
        for (var member : members.entrySet()) {
            var id = member.getValue().whole().filter(n -> n >= 0 && n < Integer.MAX_VALUE);
            if (id.isEmpty()) {
                throw new FileFormatException(
                        "%s says that '%s' is %s, but a number from 0 on is expected"
                                .formatted(keys.place(key), member.getKey(), member.getValue()));
            }
            all.put(member.getKey(), id.get().intValue());
        }
        return all;
    }

    /** The number of the unknown token, if the file names one. */
    static OptionalInt unknown(ConfigKeys keys, Map<String, Integer> vocabulary)
            throws FileFormatException {
        Optional<String> text = keys.text("unk_token");
        if (text.isEmpty()) return OptionalInt.empty();
        var id = vocabulary.get(text.get());
        if (id != null) return OptionalInt.of(id);
        throw keys.unknown("unk_token", "but there is no such token in vocab");
    }

    /** One token per word. */
    record WordLevel(Map<String, Integer> vocabulary, OptionalInt unknown) implements TokenModel {
        static WordLevel read(ConfigKeys keys) throws FileFormatException {
            var vocabulary = TokenModel.vocabulary(keys, "vocab");
            return new WordLevel(vocabulary, TokenModel.unknown(keys, vocabulary));
        }

        @Override
        public void encode(String word, TokenIds out) {
            var id = vocabulary.get(word);
            if (id != null) out.add(id);
            else unknown.ifPresent(out::add);
        }
    }

    /** The longest token with which a word starts, then the longest of the rest, and so on. */
    record WordPiece(
            Map<String, Integer> vocabulary, OptionalInt unknown, String prefix, int longest)
            implements TokenModel {
        static WordPiece read(ConfigKeys keys) throws FileFormatException {
            var vocabulary = TokenModel.vocabulary(keys, "vocab");
            var unknown = TokenModel.unknown(keys, vocabulary);
            if (unknown.isEmpty()) throw keys.missing("unk_token");
            return new WordPiece(
                    vocabulary,
                    unknown,
                    keys.text("continuing_subword_prefix").orElse("##"),
                    keys.size("max_input_chars_per_word").orElse(100));
        }

        @Override
        public void encode(String word, TokenIds out) {
            int before = out.size();
            if (word.codePointCount(0, word.length()) > longest) {
                unknown.ifPresent(out::add);
                return;
            }
            for (int start = 0; start < word.length(); ) {
                int end = word.length();
                Integer id = null;
                while (end > start) {
                    var piece = word.substring(start, end);
                    id = vocabulary.get(start == 0 ? piece : prefix + piece);
                    if (id != null) break;
                    end = word.offsetByCodePoints(end, -1);
                }
                if (id == null) {
                    out.cutTo(before);
                    unknown.ifPresent(out::add);
                    return;
                }
                out.add(id);
                start = end;
            }
        }
    }

    /** The tokens {@code <0x00>} to {@code <0xFF>}, if all of them exist. */
    static Optional<List<Integer>> bytes(Map<String, Integer> vocabulary) {
        var ids = new ArrayList<Integer>();
        for (int b = 0; b < 256; b++) {
            var id = vocabulary.get("<0x%02X>".formatted(b));
            if (id == null) return Optional.empty();
            ids.add(id);
        }
        return Optional.of(ids);
    }
}
