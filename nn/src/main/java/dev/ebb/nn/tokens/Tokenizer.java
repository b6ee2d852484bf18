package dev.ebb.nn.tokens;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Converts text to tokens and back, as described by a {@code tokenizer.json}: byte-pair encoding,
 * unigram models and word pieces, with the normalisers, splits and decoders that published models
 * use. A component that is not implemented is refused with its position in the file.
 */
public final class Tokenizer {
    private final TokenModel model;
    private final AddedTokens added;
    private final Optional<PreTokeniser> splits;
    private final Template template;
    private final Optional<Decoder> decoder;
    private final Map<Integer, String> texts = new HashMap<>();
    private final Map<Integer, AddedTokens.Added> special = new HashMap<>();

    private Tokenizer(ConfigKeys keys) throws FileFormatException {
        keys.text("version");
        for (var key : List.of("truncation", "padding")) {
            if (keys.value(key).isPresent())
                throw keys.unknown(key, "texts are encoded whole; take the key out");
        }
        var normaliser = part(keys, "normalizer", Normaliser::read).orElse(text -> text);
        splits = part(keys, "pre_tokenizer", PreTokeniser::read);
        template = part(keys, "post_processor", Template::read).orElse(Template.none());
        decoder = part(keys, "decoder", Decoder::read);
        var inside = keys.inside("model");
        if (inside.isEmpty()) throw keys.missing("model");
        model = TokenModel.read(inside.get());
        model.vocabulary().forEach((text, id) -> texts.put(id, text));
        var tokens = new ArrayList<AddedTokens.Added>();
        if (keys.value("added_tokens").isPresent()) {
            for (var one : TokenizerJson.list(keys, "added_tokens")) {
                var token = AddedTokens.read(one);
                var known = model.vocabulary().get(token.content());
                if (known != null && known != token.id())
                    throw one.unknown("id", "but in vocab it is " + known);
                tokens.add(token);
                // a token that is matched in normalised text stands for normalised text
                texts.put(
                        token.id(),
                        token.normalised() ? normaliser.apply(token.content()) : token.content());
                if (token.special()) special.put(token.id(), token);
            }
        }
        added = new AddedTokens(tokens, normaliser);
        keys.refuseOthers(Set.of());
    }

    private interface Reading<T> {
        T of(ConfigKeys keys) throws FileFormatException;
    }

    private static <T> Optional<T> part(ConfigKeys keys, String key, Reading<T> reading)
            throws FileFormatException {
        var inside = keys.inside(key);
        return inside.isEmpty() ? Optional.empty() : Optional.of(reading.of(inside.get()));
    }

    /** Reads a {@code tokenizer.json}. */
    public static Tokenizer load(Path file) throws IOException {
        var json = Json.read(file);
        try {
            return new Tokenizer(ConfigKeys.of(file, json));
        } catch (ArithmeticException | IllegalArgumentException e) {
            throw new FileFormatException(file, String.valueOf(e.getMessage()), e);
        } catch (FileFormatException e) {
            if (String.valueOf(e.getMessage()).startsWith(file.toString())) throw e;
            throw new FileFormatException(file, String.valueOf(e.getMessage()), e);
        }
    }

    /** The number of tokens: one more than the largest token number. */
    public int vocabulary() {
        return texts.keySet().stream().mapToInt(Integer::intValue).max().orElse(-1) + 1;
    }

    /** The number of a token by its text in the file; empty if there is no such token. */
    public Optional<Integer> id(String text) {
        for (var token : added.tokens())
            if (token.content().equals(text)) return Optional.of(token.id());
        return Optional.ofNullable(model.vocabulary().get(text));
    }

    /** The tokens of a text, without special tokens around it. */
    public int[] encode(String text) {
        var out = new TokenIds();
        encode(text, out);
        return out.toArray();
    }

    /** The tokens of a text, with those that the model expects before and after it. */
    public int[] encodeWhole(String text) {
        var out = new TokenIds();
        template.before().forEach(out::add);
        encode(text, out);
        template.after().forEach(out::add);
        return out.toArray();
    }

    /** The tokens of the beginning of a text, with those that the model expects before it. */
    public int[] encodeStart(String text) {
        var out = new TokenIds();
        template.before().forEach(out::add);
        encode(text, out);
        return out.toArray();
    }

    private void encode(String text, TokenIds out) {
        for (var section : added.sections(text)) {
            if (section.id() >= 0) {
                out.add(section.id());
            } else if (splits.isEmpty()) {
                model.encode(section.text(), out);
            } else {
                for (var word : splits.get().split(section.text(), section.first()))
                    model.encode(word, out);
            }
        }
    }

    /** The text of tokens; special tokens, such as the end of a text, have none. */
    public String decode(int[] ids) {
        var tokens = new ArrayList<String>();
        for (int id : ids) {
            var text = texts.get(id);
            if (text != null && !special.containsKey(id)) tokens.add(text);
        }
        return decoder.map(d -> String.join("", d.apply(tokens)))
                .orElseGet(() -> String.join(" ", tokens));
    }
}
