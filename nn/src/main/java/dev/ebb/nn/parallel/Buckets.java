package dev.ebb.nn.parallel;

import dev.ebb.ir.DType;
import dev.ebb.ir.Type;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;

/**
 * Groups tensors that are exchanged in one message. Every message has a fixed cost, so small
 * tensors of one type share one; a large tensor has its own, so that it can be freed and gathered
 * separately.
 */
final class Buckets {
    /** A tensor of at most this many bytes is small. */
    private static final long SMALL = 1 << 14;

    /** A bucket of this many bytes is full. */
    private static final long FULL = 1 << 20;

    private Buckets() {}

    /** The indices of the tensors of each bucket, ordered by the first index in each. */
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
