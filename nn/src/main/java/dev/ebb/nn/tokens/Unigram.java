package dev.ebb.nn.tokens;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A unigram language model over pieces (Kudo, 2018): of all ways to split a word, the one whose
 * pieces have the largest sum of scores, found in one pass over the word.
 */
final class Unigram implements TokenModel {
    /** The score of an unknown character is this much below that of the worst piece. */
    private static final double PENALTY = 10;

    private final Map<String, Integer> vocabulary = new HashMap<>();
    private final double[] scores;
    private final int longest;
    private final double unknownScore;
    private final Optional<Integer> unknown;
    private final Optional<List<Integer>> bytes;

    private Unigram(ConfigKeys keys) throws FileFormatException {
        var value = keys.value("vocab");
        if (value.isEmpty()) throw keys.missing("vocab");
        var items = value.get().elements();
        scores = new double[items.size()];
        int most = 1;
        for (int i = 0; i < scores.length; i++) {
            var pair = items.get(i).elements();
            if (pair.size() != 2
                    || pair.get(0).text().isEmpty()
                    || pair.get(1).number().isEmpty()) {
                throw new FileFormatException(
                        "%s[%s] is %s, but a text and its score are expected"
                                .formatted(keys.place("vocab"), i, items.get(i)));
            }
            var text = pair.get(0).text().get();
            vocabulary.put(text, i);
            scores[i] = pair.get(1).number().get();
            most = Math.max(most, text.length());
        }
        longest = most;
        unknown = keys.value("unk_id").flatMap(n -> n.whole()).map(Math::toIntExact);
        if (unknown.isPresent() && (unknown.get() < 0 || unknown.get() >= scores.length))
            throw keys.unknown("unk_id", "there are " + scores.length + " tokens");
        unknownScore = Arrays.stream(scores).min().orElse(0) - PENALTY;
        bytes =
                keys.truth("byte_fallback").orElse(false)
                        ? TokenModel.bytes(vocabulary)
                        : Optional.empty();
    }

    static Unigram read(ConfigKeys keys) throws FileFormatException {
        return new Unigram(keys);
    }

    @Override
    public Map<String, Integer> vocabulary() {
        return vocabulary;
    }

    @Override
    public void encode(String word, TokenIds out) {
        int n = word.length();
        var best = new double[n + 1];
        var from = new int[n + 1];
        var known = new boolean[n + 1];
        Arrays.fill(from, -1);
        for (int start = 0; start < n; ) {
            int next = word.offsetByCodePoints(start, 1);
            boolean single = false;
            for (int end = next; end <= n && end - start <= longest; ) {
                var id = vocabulary.get(word.substring(start, end));
                if (id != null) {
                    double score = best[start] + scores[id];
                    if (from[end] < 0 || score > best[end]) {
                        best[end] = score;
                        from[end] = start;
                        known[end] = !unknown.equals(Optional.of(id));
                    }
                    single |= end == next;
                }
                if (end == n) break;
                end = word.offsetByCodePoints(end, 1);
            }
            double score = best[start] + unknownScore;
            if (!single && (from[next] < 0 || score > best[next])) {
                best[next] = score;
                from[next] = start;
                known[next] = false;
            }
            start = next;
        }
        var pieces = new ArrayDeque<String>();
        for (int end = n; end > 0; ) {
            int start = from[end];
            // consecutive unknown characters are one piece
            while (!known[end] && start > 0 && !known[start]) start = from[start];
            pieces.addFirst(word.substring(start, end));
            end = start;
        }
        for (var piece : pieces) add(piece, out);
    }

    private void add(String piece, TokenIds out) {
        var id = vocabulary.get(piece);
        if (id != null) {
            out.add(id);
        } else if (bytes.isPresent()) {
            for (byte b : piece.getBytes(StandardCharsets.UTF_8))
                out.add(bytes.get().get(b & 0xff));
        } else {
            out.add(
                    unknown.orElseThrow(
                            () ->
                                    new IllegalArgumentException(
                                            "the tokenizer has no token for '"
                                                    + piece
                                                    + "', and none for what is unknown")));
        }
    }
}
