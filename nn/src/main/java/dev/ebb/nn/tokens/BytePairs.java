package dev.ebb.nn.tokens;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Byte-pair encoding (Sennrich et al., 2016): a word starts as its characters; repeatedly, the
 * neighbouring pair that was learned first is merged into one token, until no learned pair is left.
 *
 * <p>Pairs are in a queue by rank, then by position; the symbols are a doubly linked list. A word
 * of n characters takes n log n steps, so a text that is a single word is no problem.
 */
final class BytePairs implements TokenModel {
    private static final int MOST_KNOWN = 1 << 14;

    /** The longest word that is cached; longer ones hardly occur again. */
    private static final int LONGEST_KNOWN = 64;

    /** The token that a pair becomes, and its rank in the order of learning. */
    private record Merge(int rank, int id) {}

    /** A pair that may be merged, if both symbols still exist. */
    private record Candidate(int rank, int at, int left, int right, int id)
            implements Comparable<Candidate> {
        @Override
        public int compareTo(Candidate other) {
            int byRank = Integer.compare(rank, other.rank);
            return byRank != 0 ? byRank : Integer.compare(at, other.at);
        }
    }

    private final Map<String, Integer> vocabulary;
    private final Map<Long, Merge> merges;
    private final OptionalInt unknown;
    private final boolean fused;
    private final boolean wholeFirst;
    private final Optional<List<Integer>> bytes;
    private final String prefix;
    private final String suffix;

    /** A cache of words: most words of a text occur often. */
    private final Map<String, int[]> known = new ConcurrentHashMap<>();

    private BytePairs(ConfigKeys keys) throws FileFormatException {
        vocabulary = TokenModel.vocabulary(keys, "vocab");
        unknown = TokenModel.unknown(keys, vocabulary);
        fused = keys.truth("fuse_unk").orElse(false);
        wholeFirst = keys.truth("ignore_merges").orElse(false);
        prefix = keys.text("continuing_subword_prefix").orElse("");
        suffix = keys.text("end_of_word_suffix").orElse("");
        bytes =
                keys.truth("byte_fallback").orElse(false)
                        ? TokenModel.bytes(vocabulary)
                        : Optional.empty();
        if (keys.number("dropout").orElse(0.0) != 0)
            throw keys.unknown("dropout", "tokens by chance are not implemented; 0 is");
        merges = merges(keys);
    }

    static BytePairs read(ConfigKeys keys) throws FileFormatException {
        return new BytePairs(keys);
    }

    private Map<Long, Merge> merges(ConfigKeys keys) throws FileFormatException {
        var value = keys.value("merges");
        if (value.isEmpty()) throw keys.missing("merges");
        var list = value.get().elements();
        var all = HashMap.<Long, Merge>newHashMap(list.size());
        for (int i = 0; i < list.size(); i++) {
            var pair = pair(keys, i, list.get(i));
            var left = vocabulary.get(pair.getFirst());
            var right = vocabulary.get(pair.getLast());
            var end = pair.getLast();
            var whole =
                    pair.getFirst()
                            + (end.startsWith(prefix) ? end.substring(prefix.length()) : end);
            var id = vocabulary.get(whole);
            if (left == null || right == null || id == null) {
                throw new FileFormatException(
                        "%s[%s] makes '%s' of '%s' and '%s', which are not all in vocab"
                                .formatted(
                                        keys.place("merges"),
                                        i,
                                        whole,
                                        pair.getFirst(),
                                        pair.getLast()));
            }
            all.put(key(left, right), new Merge(i, id));
        }
        return all;
    }

    /** A pair as a list of two texts, or as one text with a space between them. */
    private static List<String> pair(ConfigKeys keys, int i, Json item) throws FileFormatException {
        var parts = item.elements().stream().flatMap(p -> p.text().stream()).toList();
        if (parts.size() == 2) return parts;
        var text = item.text().orElse("");
        int space = text.indexOf(' ');
        if (space > 0 && space == text.lastIndexOf(' '))
            return List.of(text.substring(0, space), text.substring(space + 1));
        throw new FileFormatException(
                keys.place("merges") + "[" + i + "] is " + item + ", but two texts are expected");
    }

    private static long key(int left, int right) {
        return (long) left << 32 | right;
    }

    @Override
    public Map<String, Integer> vocabulary() {
        return vocabulary;
    }

    @Override
    public void encode(String word, TokenIds out) {
        if (word.isEmpty()) return;
        if (wholeFirst) {
            var whole = vocabulary.get(word);
            if (whole != null) {
                out.add(whole);
                return;
            }
        }
        var ids =
                word.length() > LONGEST_KNOWN
                        ? merged(word)
                        : known.computeIfAbsent(word, this::merged);
        for (int id : ids) out.add(id);
        if (known.size() > MOST_KNOWN) known.clear();
    }

    private int[] merged(String word) {
        var ids = symbols(word);
        int n = ids.length;
        var before = new int[n];
        var after = new int[n];
        for (int i = 0; i < n; i++) {
            before[i] = i - 1;
            after[i] = i + 1 < n ? i + 1 : -1;
        }
        var queue = new PriorityQueue<Candidate>();
        for (int i = 0; i + 1 < n; i++) offer(queue, ids, i, i + 1);
        while (!queue.isEmpty()) {
            var best = queue.remove();
            int right = after[best.at];
            if (ids[best.at] != best.left || right < 0 || ids[right] != best.right) continue;
            ids[best.at] = best.id;
            ids[right] = -1;
            after[best.at] = after[right];
            if (after[right] >= 0) before[after[right]] = best.at;
            if (before[best.at] >= 0) offer(queue, ids, before[best.at], best.at);
            if (after[best.at] >= 0) offer(queue, ids, best.at, after[best.at]);
        }
        return Arrays.stream(ids).filter(id -> id >= 0).toArray();
    }

    private void offer(PriorityQueue<Candidate> queue, int[] ids, int left, int right) {
        var merge = merges.get(key(ids[left], ids[right]));
        if (merge != null)
            queue.add(new Candidate(merge.rank, left, ids[left], ids[right], merge.id));
    }

    /** A token for each character; for a character without one its bytes, or the unknown token. */
    private int[] symbols(String word) {
        var out = new TokenIds();
        boolean wasUnknown = false;
        for (int i = 0; i < word.length(); ) {
            int next = word.offsetByCodePoints(i, 1);
            var character = word.substring(i, next);
            var text = (i > 0 ? prefix : "") + character + (next == word.length() ? suffix : "");
            var id = vocabulary.get(text);
            if (id != null) {
                out.add(id);
                wasUnknown = false;
            } else if (bytes.isPresent()) {
                for (byte b : text.getBytes(StandardCharsets.UTF_8))
                    out.add(bytes.get().get(b & 0xff));
                wasUnknown = false;
            } else if (unknown.isPresent()) {
                if (!(fused && wasUnknown)) out.add(unknown.getAsInt());
                wasUnknown = true;
            }
            i = next;
        }
        return out.toArray();
    }
}
