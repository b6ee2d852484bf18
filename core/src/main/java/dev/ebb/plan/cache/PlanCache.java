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
    /** The most bytes that are kept in memory, the most recently used. */
    private static final long IN_MEMORY = 8L << 20;

    /** The most bytes that are kept in a folder unless another bound is given. */
    private static final long IN_FOLDER = 64L << 20;

    private final LinkedHashMap<String, byte[]> latest = new LinkedHashMap<>(16, 0.75f, true);
    private final Optional<CacheFolder> folder;
    private final Optional<CacheFolder> given;
    private long bytes;

    private PlanCache(Optional<CacheFolder> folder, Optional<CacheFolder> given) {
        this.folder = folder;
        this.given = given;
    }

    /** A cache in memory, which ends with the process. */
    public static PlanCache inMemory() {
        return new PlanCache(Optional.empty(), Optional.empty());
    }

    /**
     * A cache of at most 64 MiB in {@code folder}, which is created if necessary. Several processes
     * may use the folder at the same time. If it cannot be written, nothing is stored there.
     */
    public static PlanCache in(Path folder) {
        return in(folder, IN_FOLDER);
    }

    /**
     * The same with at most {@code most} bytes of files; the least recently used ones are deleted.
     */
    public static PlanCache in(Path folder, long most) {
        return new PlanCache(Optional.of(new CacheFolder(folder, most)), Optional.empty());
    }

    /**
     * A cache that stores its entries as this one does, and also finds the entries that another
     * process stored in {@code other}, a folder that is only read.
     */
    public PlanCache reading(Path other) {
        return new PlanCache(folder, Optional.of(new CacheFolder(other, IN_FOLDER)));
    }

    @Override
    public synchronized Optional<byte[]> find(String key) {
        var known = Optional.ofNullable(latest.get(key));
        if (known.isPresent()) return known;
        var read = folder.flatMap(own -> own.read(key)).or(() -> left(key));
        read.ifPresent(data -> remember(key, data));
        return read;
    }

    private Optional<byte[]> left(String key) {
        return given.flatMap(other -> other.look(key));
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
