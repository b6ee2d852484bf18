package dev.ebb.nn.parallel;

import dev.ebb.ir.DType;
import dev.ebb.ir.Type;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;

/**
 * Which tensors travel together. A message takes some time however short it is, so small tensors of
 * one type share one; a large one travels alone, so that it can be dropped and gathered by itself.
 */
final class Buckets {
    /** Up to so many bytes a tensor is small. */
    private static final long SMALL = 1 << 14;

    /** A bucket with so many bytes is full. */
    private static final long FULL = 1 << 20;

    private Buckets() {}

    /** The places of the tensors of each bucket, ordered by the first place in each. */
    static List<List<Integer>> of(List<Type> types) {
        var buckets = new ArrayList<List<Integer>>();
        var open = new EnumMap<DType, List<Integer>>(DType.class);
        for (int i = 0; i < types.size(); i++) {
            var type = types.get(i);
            var bucket = type.bytes() > SMALL ? null : open.get(type.dtype());
            if (bucket == null) {
                bucket = new ArrayList<>();
                buckets.add(bucket);
                if (type.bytes() <= SMALL) open.put(type.dtype(), bucket);
            }
            bucket.add(i);
            if (bucket.stream().mapToLong(place -> types.get(place).bytes()).sum() >= FULL)
                open.remove(type.dtype(), bucket);
        }
        buckets.sort(Comparator.comparingInt(List::getFirst));
        return buckets;
    }
}
