package dev.ebb.cuda;

import dev.ebb.ir.math.Sha256;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Caches compiled units in a folder: {@code UNIT.cubin} begins with a digest of the code that
 * follows, and {@code KEY.unit} names the unit that contains a kernel. A damaged file is treated as
 * missing. If the folder cannot be written, this is logged once and nothing is cached.
 */
final class CodeCache {
    private static final int DIGEST = 32;

    private final Path folder;
    private boolean silent;

    CodeCache(Path folder) {
        this.folder = folder;
    }

    /** The user's cache folder. */
    static Path folder(Map<String, String> environment, String home) {
        var named = environment.getOrDefault("XDG_CACHE_HOME", "");
        var base = named.isBlank() ? Path.of(home, ".cache") : Path.of(named);
        return base.resolve("ebb").resolve("cuda");
    }

    static String digest(String text) {
        return HexFormat.of().formatHex(sha(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static byte[] sha(byte[] bytes) {
        return Sha256.start().digest(bytes);
    }

    Optional<String> unitOf(String key) {
        return read(key + ".unit")
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .filter(unit -> unit.matches("[0-9a-f]{64}"));
    }

    Optional<byte[]> code(String unit) {
        return read(unit + ".cubin")
                .filter(all -> all.length > DIGEST)
                .filter(
                        all ->
                                Arrays.equals(
                                        Arrays.copyOf(all, DIGEST),
                                        sha(Arrays.copyOfRange(all, DIGEST, all.length))))
                .map(all -> Arrays.copyOfRange(all, DIGEST, all.length));
    }

    private Optional<byte[]> read(String name) {
        var file = folder.resolve(name);
        try {
            return Files.exists(file) ? Optional.of(Files.readAllBytes(file)) : Optional.empty();
        } catch (IOException e) {
            complain(e);
            return Optional.empty();
        }
    }

    void put(String unit, byte[] code, List<String> keys) {
        try {
            Files.createDirectories(folder);
            var all = Arrays.copyOf(sha(code), DIGEST + code.length);
            System.arraycopy(code, 0, all, DIGEST, code.length);
            write(unit + ".cubin", all);
            for (var key : keys) write(key + ".unit", unit.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            complain(e);
        }
    }

    /** Writes a file atomically: other processes see all of it or nothing. */
    private void write(String name, byte[] bytes) throws IOException {
        var part = Files.createTempFile(folder, name, ".part");
        Files.write(part, bytes);
        Files.move(part, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    private void complain(IOException e) {
        if (silent) return;
        silent = true;
        System.getLogger(CodeCache.class.getName())
                .log(
                        System.Logger.Level.WARNING,
                        "compiled kernels cannot be kept in "
                                + folder
                                + " and are compiled anew every time: "
                                + e);
    }
}
