package dev.ebb.plan.search;

import dev.ebb.plan.cache.SearchCache;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The generations of a {@link Frontier} found earlier, in this process or another, and stored in a
 * cache. Every sequence is validated by replay before it is used.
 */
final class CachedGenerations {
    /** One generation, and the further plans that were known when it was made. */
    record Generation(List<Member> own, List<Member> beyond) {}

    private record All(List<Generation> generations, boolean complete) {}

    private final List<SearchModel> models = new ArrayList<>();
    private final SearchCache cache;
    private final String key;
    private Optional<All> known;

    /**
     * The known generations of the family of {@code model}, which may take over plans of {@code
     * smaller} ones.
     */
    CachedGenerations(
            SearchModel model,
            List<CachedGenerations> smaller,
            SearchEffort effort,
            SearchCache cache) {
        this.cache = cache;
        models.add(model);
        for (var other : smaller) models.add(other.models.getFirst());
        if (cache.equals(SearchCache.NONE)) {
            key = "";
            known = Optional.empty();
            return;
        }
        var digest = ModelDigest.of(model).put(effort.name());
        for (var other : smaller) digest.put(other.key);
        key = digest.text();
        known = cache.find(key).flatMap(this::read);
    }

    /** Adds the next generation; false if it is not in the cache. */
    boolean next(List<List<Member>> generations, List<List<Member>> beyond) {
        int count = generations.size();
        if (known.isEmpty() || known.get().generations.size() <= count) return false;
        var next = known.get().generations.get(count);
        generations.add(next.own);
        beyond.add(next.beyond);
        return true;
    }

    /** Whether the cache has all generations, and {@code count} is the number of the last one. */
    boolean isLast(int count) {
        return isComplete() && count == known.orElseThrow().generations.size() - 1;
    }

    /** Whether the cache has all generations. */
    boolean isComplete() {
        return known.isPresent() && known.get().complete;
    }

    /**
     * Stops using the cache: a search restarts from the beginning, since its state is not stored.
     * Removes all generations but the first, once; returns how many there were.
     */
    int end(List<List<Member>> generations, List<List<Member>> beyond) {
        int count = generations.size();
        if (known.isEmpty()) return count;
        known = Optional.empty();
        generations.subList(1, count).clear();
        beyond.subList(1, count).clear();
        return count;
    }

    /** Stores all generations so far. */
    void put(List<List<Member>> generations, List<List<Member>> beyond, boolean complete) {
        if (cache.equals(SearchCache.NONE)) return;
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeBoolean(complete);
            out.writeInt(generations.size());
            for (int k = 0; k < generations.size(); k++) {
                write(generations.get(k), out);
                write(beyond.get(k), out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("an array of bytes takes all that is written", e);
        }
        cache.put(key, bytes.toByteArray());
    }

    private void write(List<Member> members, DataOutputStream out) throws IOException {
        out.writeInt(members.size());
        for (var member : members) {
            out.writeInt(models.indexOf(member.model()));
            out.writeDouble(member.extra());
            out.writeInt(member.sequence().length);
            for (int u : member.sequence()) out.writeInt(u);
        }
    }

    /**
     * The stored generations; none if the entry was not written by {@link #put} or is not valid
     * here.
     */
    private Optional<All> read(byte[] data) {
        try (var in = new DataInputStream(new ByteArrayInputStream(data))) {
            boolean complete = in.readBoolean();
            int count = in.readInt();
            var all = new ArrayList<Generation>();
            for (int k = 0; k < count; k++) {
                var own = members(in);
                var beyond = members(in);
                if (own.isEmpty() || beyond.isEmpty()) return Optional.empty();
                all.add(new Generation(own.get(), beyond.get()));
            }
            return Optional.of(new All(all, complete));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Optional<List<Member>> members(DataInputStream in) throws IOException {
        int count = in.readInt();
        var members = new ArrayList<Member>();
        for (int k = 0; k < count; k++) {
            int which = in.readInt();
            double extra = in.readDouble();
            int length = in.readInt();
            if (which < 0 || which >= models.size() || length > in.available() / Integer.BYTES)
                return Optional.empty();
            var model = models.get(which);
            var sequence = new int[length];
            for (int i = 0; i < length; i++) {
                sequence[i] = in.readInt();
                if (sequence[i] < 0 || sequence[i] >= model.works) return Optional.empty();
            }
            var replay = new Liveness(model);
            if (!replay.replay(sequence, length) || replay.length != length)
                return Optional.empty();
            // with places, extra is the predicted time
            boolean counted = !model.mayMove();
            if (counted && extra != replay.extra) return Optional.empty();
            members.add(new Member(model, sequence, replay.peak, extra));
        }
        return Optional.of(members);
    }
}
