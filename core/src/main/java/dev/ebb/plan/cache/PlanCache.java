package dev.ebb.plan.cache;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Optional;

/**
 * The results of earlier searches for plans: in memory, and in a folder if there is one, where
 * other processes find them. Entries are found by a digest of all that a search depends on, its
 * compiled code included, and are checked before they are used, so that a cache never changes a
 * plan.
 */
public final class PlanCache implements SearchCache {
    /** The most bytes that are kept in memory; those used last stay. */
    private static final long IN_MEMORY = 8L << 20;

    /** The most bytes that are kept in a folder unless another bound is given. */
    private static final long IN_FOLDER = 64L << 20;

    private final LinkedHashMap<String, byte[]> latest = new LinkedHashMap<>(16, 0.75f, true);
    private final Optional<CacheFolder> folder;
    private long bytes;

    private PlanCache(Optional<CacheFolder> folder) {
        this.folder = folder;
    }

    /** One that ends with the process. */
    public static PlanCache inMemory() {
        return new PlanCache(Optional.empty());
    }

    /**
     * One that keeps its entries in {@code folder}, which is made if need be, in at most 64 MiB.
     * Several processes may use it at once. Where it cannot be written nothing is kept there.
     */
    public static PlanCache in(Path folder) {
        return in(folder, IN_FOLDER);
    }

    /** The same in at most {@code most} bytes of files: those used longest ago are deleted. */
    public static PlanCache in(Path folder, long most) {
        return new PlanCache(Optional.of(new CacheFolder(folder, most)));
    }

    @Override
    public synchronized Optional<byte[]> find(String key) {
        var known = Optional.ofNullable(latest.get(key));
        if (known.isPresent() || folder.isEmpty()) return known;
        var read = folder.get().read(key);
        read.ifPresent(data -> remember(key, data));
        return read;
    }

    @Override
    public synchronized void put(String key, byte[] result) {
        remember(key, result);
        folder.ifPresent(f -> f.write(key, result));
    }

    private void remember(String key, byte[] data) {
        var before = latest.put(key, data);
        bytes += data.length - (before == null ? 0 : before.length);
        var oldest = latest.entrySet().iterator();
        while (bytes > IN_MEMORY && oldest.hasNext()) {
            bytes -= oldest.next().getValue().length;
            oldest.remove();
        }
    }
}
