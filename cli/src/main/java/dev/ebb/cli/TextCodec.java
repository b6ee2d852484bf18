package dev.ebb.cli;

import dev.ebb.cli.option.Refusal;
import dev.ebb.cli.tune.TuningText;
import dev.ebb.nn.data.Corpus;
import dev.ebb.nn.tokens.Tokenizer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** Converts text to a model's tokens and back: by its tokenizer, or with one token per byte. */
record TextCodec(Optional<Tokenizer> tokenizer) {

    /**
     * A codec with the tokenizer.json next to the model; without one, the model's tokens must be
     * bytes.
     */
    static TextCodec of(Path model, int vocabulary) throws IOException {
        var found = TuningText.tokenizer(model);
        if (found.isEmpty()
                && (vocabulary < Corpus.VOCABULARY || vocabulary > 2 * Corpus.VOCABULARY)) {
            throw new Refusal(
                    ("%s: a vocabulary of %s is not one of characters, and there is no"
                                    + " tokenizer.json beside; put the model's own there")
                            .formatted(model, vocabulary));
        }
        return new TextCodec(found);
    }

    /** The tokens of a prompt, after those that the model expects before a text. */
    int[] encode(String text) {
        if (tokenizer.isPresent()) return tokenizer.get().encodeStart(text);
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        var ids = new int[bytes.length];
        for (int i = 0; i < ids.length; i++) ids[i] = bytes[i] & 0xff;
        return ids;
    }

    /** Decodes tokens to text one by one. */
    interface Stream {
        /** The characters that this token completes. */
        String add(int token);

        /** The replacement characters for an incomplete character at the end. */
        String end();
    }

    /** A decoder for the tokens after a prompt. */
    Stream streamAfter(int[] prompt) {
        return tokenizer.<Stream>map(t -> new Tokens(t, prompt)).orElseGet(Bytes::new);
    }

    private static final class Bytes implements Stream {
        private final Utf8Text text = new Utf8Text();

        @Override
        public String add(int token) {
            return text.add((byte) token);
        }

        @Override
        public String end() {
            return text.end();
        }
    }

    /**
     * Decodes with a tokenizer. The text of a token may depend on the tokens before it; for
     * example, only a first token loses its leading space. So the last tokens that were decoded are
     * decoded again together with the new ones. If the text ends within a character, the decoder
     * waits for the next token.
     */
    private static final class Tokens implements Stream {
        private final Tokenizer tokenizer;
        private int[] ids;
        private int told;

        Tokens(Tokenizer tokenizer, int[] prompt) {
            this.tokenizer = tokenizer;
            ids = prompt.clone();
            told = ids.length;
        }

        @Override
        public String add(int token) {
            ids = Arrays.copyOf(ids, ids.length + 1);
            ids[ids.length - 1] = token;
            var more = news();
            if (more.isEmpty() || more.endsWith("\ufffd")) return "";
            ids = Arrays.copyOfRange(ids, told, ids.length);
            told = ids.length;
            return more;
        }

        @Override
        public String end() {
            return news();
        }

        private String news() {
            int known = tokenizer.decode(Arrays.copyOf(ids, told)).length();
            var text = tokenizer.decode(ids);
            return text.substring(Math.min(known, text.length()));
        }
    }
}
