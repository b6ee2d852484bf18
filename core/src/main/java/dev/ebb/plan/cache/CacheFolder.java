package dev.ebb.plan.cache;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * A folder with one file for each entry of a {@link PlanCache}: {@code KEY.plan}, compressed,
 * behind a header with its length and a checksum of key and data. A file is written under another
 * name and then renamed, so that another process sees the whole file or none. A damaged file, or
 * one under the key of another, counts as missing, and an entry that cannot be written is left out:
 * a cache never causes a failure.
 */
final class CacheFolder {
    private static final long MAGIC = 0x4542_4220_504c_4e32L;
    private static final int HEADER = 3 * Long.BYTES;
    private static final String END = ".plan";
    private static final String UNFINISHED = ".part";

    /** The largest size of an entry: a file that states a larger one is damaged. */
    private static final long LARGEST = 256L << 20;

    /** The most bytes that one compressed byte can expand to. */
    private static final long MOST_UNPACKED = 1032;

    /**
     * The folder is trimmed after the first entry and then each time this number of entries was
     * added.
     */
    private static final int LOOK = 64;

    private final Path folder;
    private final long most;
    private int written;

    CacheFolder(Path folder, long most) {
        this.folder = folder;
        this.most = most;
    }

    /** The entry of a key; it becomes the most recently used one. */
    Optional<byte[]> read(String key) {
        var data = look(key);
        if (data.isPresent()) touch(folder.resolve(key + END));
        return data;
    }

    /** The entry of a key; nothing in the folder changes. */
    Optional<byte[]> look(String key) {
        var file = folder.resolve(key + END);
        try {
            if (!Files.isRegularFile(file)) return Optional.empty();
            return unpacked(key, ByteBuffer.wrap(Files.readAllBytes(file)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Marks a file as the most recently used, which is deleted last. */
    private static void touch(Path file) {
        try {
            Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
        } catch (IOException e) {
            // in a folder that cannot be written, nothing can be deleted either
        }
    }

    private static Optional<byte[]> unpacked(String key, ByteBuffer file) {
        if (file.remaining() < HEADER || file.getLong() != MAGIC) return Optional.empty();
        long length = file.getLong();
        long checksum = file.getLong();
        long most = Math.min(LARGEST, MOST_UNPACKED * file.remaining());
        if (length < 0 || length > most) return Optional.empty();
        var data = new byte[(int) length];
        try (var inflater = new Inflater()) {
            inflater.setInput(file);
            int count = 0;
            while (count < data.length) {
                int more = inflater.inflate(data, count, data.length - count);
                if (more == 0) return Optional.empty();
                count += more;
            }
        } catch (DataFormatException e) {
            return Optional.empty();
        }
        return checksum(key, data) == checksum ? Optional.of(data) : Optional.empty();
    }

    private static long checksum(String key, byte[] data) {
        var sum = new CRC32C();
        sum.update(key.getBytes(StandardCharsets.UTF_8));
        sum.update(data);
        return sum.getValue();
    }

    void write(String key, byte[] data) {
        if (data.length > LARGEST) return;
        try {
            Files.createDirectories(folder);
            var part = Files.createTempFile(folder, key.substring(0, 8), UNFINISHED);
            try {
                Files.write(part, packed(key, data));
                Files.move(
                        part,
                        folder.resolve(key + END),
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(part);
            }
            if (written++ % LOOK == 0) trim();
        } catch (IOException e) {
            // nothing is stored: the next process searches again
        }
    }

    private static byte[] packed(String key, byte[] data) {
        var header = ByteBuffer.allocate(HEADER);
        header.putLong(MAGIC).putLong(data.length).putLong(checksum(key, data));
        var out = new ByteArrayOutputStream();
        out.writeBytes(header.array());
        try (var deflater = new Deflater(Deflater.BEST_SPEED)) {
            deflater.setInput(data);
            deflater.finish();
            var buffer = new byte[1 << 16];
            while (!deflater.finished()) out.write(buffer, 0, deflater.deflate(buffer));
        }
        return out.toByteArray();
    }

    private record Entry(Path file, long bytes, FileTime used) {}

    /**
     * Deletes the least recently used entries until three quarters of the bound are left, and old
     * temporary files.
     */
    private void trim() throws IOException {
        var entries = entries();
        long bytes = entries.stream().mapToLong(Entry::bytes).sum();
        var yesterday = FileTime.from(Instant.now().minus(Duration.ofDays(1)));
        boolean over = bytes > most;
        for (var entry : entries) {
            boolean remains =
                    entry.file.toString().endsWith(UNFINISHED)
                            && entry.used.compareTo(yesterday) < 0;
            if (!remains && !(over && bytes > most / 4 * 3)) continue;
            Files.deleteIfExists(entry.file);
            bytes -= entry.bytes;
        }
    }

    /** This cache's files, those used longest ago first. */
    private List<Entry> entries() throws IOException {
        var entries = new ArrayList<Entry>();
        try (var files = Files.newDirectoryStream(folder, "*{" + END + "," + UNFINISHED + "}")) {
            for (var file : files) {
                if (Files.isRegularFile(file))
                    entries.add(new Entry(file, Files.size(file), Files.getLastModifiedTime(file)));
            }
        }
        entries.sort(Comparator.comparing(Entry::used));
        return entries;
    }
}
