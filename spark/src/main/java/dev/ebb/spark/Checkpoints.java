package dev.ebb.spark;

import dev.ebb.ir.math.Sha256;
import dev.ebb.nn.file.LazyTensor;
import dev.ebb.nn.file.Safetensors;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkEnv;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.DigestOutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * The checkpoints of a run, in a folder of any Hadoop file system. A checkpoint is a safetensors
 * file; a second file with its digest is written last, and a checkpoint without it is ignored. The
 * two latest are kept.
 *
 * @param folder a Hadoop path: {@code hdfs://...}, {@code s3a://...}, {@code file:...}
 */
record Checkpoints(String folder) {
    private static final String DIGEST = ".sha256";
    private static final int KEPT = 2;

    private FileSystem system() throws IOException {
        return new Path(folder).getFileSystem(configuration());
    }

    /**
     * Hadoop's settings, read once per Spark context: reading them takes longer than a small
     * checkpoint.
     */
    private record Known(@Nullable SparkEnv env, Configuration configuration) {}

    private static volatile @Nullable Known known;

    /** Hadoop's settings, with those of Spark's {@code spark.hadoop.*} if Spark is running. */
    private static Configuration configuration() {
        var env = SparkEnv.get();
        var before = known;
        if (before != null && Objects.equals(before.env, env)) return before.configuration;
        var read =
                env == null
                        ? new Configuration()
                        : SparkHadoopUtil.get().newConfiguration(env.conf());
        known = new Known(env, read);
        return read;
    }

    private Path file(long step) {
        return new Path(folder, "step-%010d.safetensors".formatted(step));
    }

    /** The steps that have a complete checkpoint, the latest first. */
    List<Long> steps() throws IOException {
        var system = system();
        if (!system.exists(new Path(folder))) return List.of();
        var steps = new ArrayList<Long>();
        for (var status : system.listStatus(new Path(folder))) {
            var name = status.getPath().getName();
            if (name.matches("step-\\d{10}\\.safetensors\\.sha256"))
                steps.add(Long.parseLong(name.substring(5, 15)));
        }
        steps.sort(Comparator.reverseOrder());
        return steps;
    }

    /** The number of steps made at the latest complete checkpoint; zero if there is none. */
    long latest() throws IOException {
        for (long step : steps()) {
            if (read(step, Safetensors::names).isPresent()) return step;
        }
        return 0;
    }

    /** Creates the folder if necessary, so that a wrong path is reported before the first step. */
    void make() throws IOException {
        try {
            if (system().mkdirs(new Path(folder))) return;
            throw new IOException("it is not given one");
        } catch (IOException e) {
            var error =
                    new IOException(
                            ("the folder %s for checkpoints cannot be made (%s); name one of a"
                                            + " Hadoop file system that all executors see")
                                    .formatted(folder, e.getMessage()));
            error.addSuppressed(e);
            throw error;
        }
    }

    /** Deletes incomplete files of a writer that was killed. */
    void sweep() throws IOException {
        var system = system();
        if (!system.exists(new Path(folder))) return;
        for (var status : system.listStatus(new Path(folder))) {
            if (status.getPath().getName().matches("\\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"))
                system.delete(status.getPath(), false);
        }
    }

    /**
     * Writes a checkpoint after {@code step} steps; other processes may write the same one
     * concurrently.
     */
    void write(long step, List<LazyTensor> tensors, Map<String, String> notes) throws IOException {
        var system = system();
        var part = new Path(folder, "." + UUID.randomUUID());
        try {
            String digest;
            try (var out = new DigestOutputStream(system.create(part), Sha256.start())) {
                Safetensors.write(out, tensors, notes);
                out.flush();
                digest = HexFormat.of().formatHex(out.getMessageDigest().digest());
            }
            place(system, part, file(step), digest);
            try (OutputStream out = system.create(file(step).suffix(DIGEST), true)) {
                out.write(digest.getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new IOException(
                    ("the checkpoint of step %s cannot be written to %s (%s); the run goes on from"
                                    + " the one before once the folder can be written")
                            .formatted(step, folder, e.getMessage()),
                    e);
        } finally {
            if (system.exists(part)) system.delete(part, false);
        }
        for (long old : steps().stream().skip(KEPT).toList()) {
            system.delete(file(old).suffix(DIGEST), false);
            system.delete(file(old), false);
        }
    }

    /**
     * Renames a complete file to its final name. The bits of a step are always the same, so a file
     * that already has this name is right, unless it is damaged.
     */
    private void place(FileSystem system, Path part, Path file, String digest) throws IOException {
        if (system.rename(part, file)) return;
        if (digest.equals(copied(file, OutputStream.nullOutputStream()))) return;
        system.delete(file, false);
        if (!system.rename(part, file)) throw new IOException(file + " cannot be given its name");
    }

    /** Writes a text file to the folder of the checkpoints. */
    void writeText(String name, String text) throws IOException {
        try (OutputStream out = system().create(new Path(folder, name), true)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Reads something from a file. */
    interface Reading<T> {
        T from(Safetensors file) throws IOException;
    }

    /** Reads the checkpoint of {@code step} after checking its digest; empty if it is damaged. */
    <T> Optional<T> read(long step, Reading<T> reading) throws IOException {
        var local = Files.createTempFile("ebb", ".safetensors");
        try {
            var expected = new ByteArrayOutputStream();
            copied(file(step).suffix(DIGEST), expected);
            String found;
            try (var out = Files.newOutputStream(local)) {
                found = copied(file(step), out);
            }
            if (!found.equals(expected.toString(StandardCharsets.UTF_8))) return Optional.empty();
            try (var file = Safetensors.open(local)) {
                return Optional.of(reading.from(file));
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            Files.deleteIfExists(local);
        }
    }

    /**
     * Copies a file and returns its digest; an empty text if the file is missing or Hadoop finds it
     * damaged.
     */
    private String copied(Path file, OutputStream to) throws IOException {
        try (var in = system().open(file)) {
            var out = new DigestOutputStream(to, Sha256.start());
            in.transferTo(out);
            out.flush();
            return HexFormat.of().formatHex(out.getMessageDigest().digest());
        } catch (FileNotFoundException | ChecksumException e) {
            return "";
        }
    }
}
