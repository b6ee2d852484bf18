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

/** Text to a model's tokens and back: by its tokenizer, or a token for each byte. */
record TextCodec(Optional<Tokenizer> tokenizer) {

    /** By the tokenizer.json beside the model; without one its tokens must be bytes. */
    static TextCodec of(Path model, int vocabulary) throws IOException {
        var found = TuningText.tokenizer(model);
        if (found.isEmpty()
                && (vocabulary < Corpus.VOCABULARY || vocabulary > 2 * Corpus.VOCABULARY)) {
            throw new Refusal(
                    model
                            + ": a vocabulary of "
                            + vocabulary
                            + " is not one of characters, and there is no tokenizer.json beside;"
                            + " put the model's own there");
        }
        return new TextCodec(found);
    }

    int[] encode(String text) {
        if (tokenizer.isPresent()) return tokenizer.get().encode(text);
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        var ids = new int[bytes.length];
        for (int i = 0; i < ids.length; i++) ids[i] = bytes[i] & 0xff;
        return ids;
    }

    /** Text that comes token by token. */
    interface Stream {
        /** The characters that this token completes. */
        String after(int token);

        /** What an unfinished character becomes. */
        String end();
    }

    Stream stream() {
        return tokenizer.<Stream>map(Tokens::new).orElseGet(Bytes::new);
    }

    private static final class Bytes implements Stream {
        private final Utf8Text text = new Utf8Text();

        @Override
        public String after(int token) {
            return text.after((byte) token);
        }

        @Override
        public String end() {
            return text.end();
        }
    }

    /**
     * All tokens are decoded again at each, as what one stands for may depend on those before; a
     * text that ends within a character waits for the next token.
     */
    private static final class Tokens implements Stream {
        private final Tokenizer tokenizer;
        private int[] ids = new int[0];
        private int told;

        Tokens(Tokenizer tokenizer) {
            this.tokenizer = tokenizer;
        }

        @Override
        public String after(int token) {
            ids = Arrays.copyOf(ids, ids.length + 1);
            ids[ids.length - 1] = token;
            var text = tokenizer.decode(ids);
            return text.endsWith("\ufffd") ? "" : rest(text);
        }

        @Override
        public String end() {
            return rest(tokenizer.decode(ids));
        }

        private String rest(String text) {
            var rest = text.substring(Math.min(told, text.length()));
            told = Math.max(told, text.length());
            return rest;
        }
    }
}
