package dev.ebb.cli;

import dev.ebb.cli.option.ErrorMessages;
import dev.ebb.cli.option.Refusal;
import dev.ebb.nn.file.AtomicFile;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The folder of a training run. It has two checkpoints: the latest and the one before. */
record RunFolder(Path path) {
    static final String DEFAULT = "ebb-run";

    Path checkpoint() {
        return path.resolve("checkpoint.safetensors");
    }

    Path before() {
        return path.resolve("checkpoint.before.safetensors");
    }

    Path report() {
        return path.resolve("report.html");
    }

    /** The file with the figures of the run when it last ended. */
    Path figures() {
        return path.resolve("figures.json");
    }

    Path sources() {
        return path.resolve("text.bin");
    }

    private Path lockFile() {
        return path.resolve("run.lock");
    }

    boolean isUsed() {
        return Files.exists(checkpoint()) || Files.exists(before());
    }

    void requireUnused() {
        if (!isUsed()) return;
        throw new Refusal(
                path + " holds a run already; go on with --resume, or name another --out");
    }

    /** The first default folder without a run: ebb-run, ebb-run-2, ... */
    static RunFolder fresh() {
        for (int i = 1; ; i++) {
            var folder = numbered(i);
            if (!folder.isUsed()) return folder;
        }
    }

    /** The default folder that was used last. */
    static RunFolder latest() {
        int last = 1;
        while (numbered(last + 1).isUsed()) last++;
        return numbered(last);
    }

    private static RunFolder numbered(int i) {
        return new RunFolder(Path.of(i == 1 ? DEFAULT : DEFAULT + "-" + i));
    }

    /** Creates the folder if necessary; returns whether it was created. */
    boolean create() throws IOException {
        boolean isNew = !Files.exists(path);
        try {
            Files.createDirectories(path);
        } catch (FileAlreadyExistsException e) {
            throw new Refusal(path + " is a file; name a folder with --out", e);
        } catch (IOException e) {
            throw new Refusal(
                    "the folder %s cannot be made (%s); name one you may write with --out"
                            .formatted(path, e.getMessage()),
                    e);
        }
        if (!Files.isWritable(path)) {
            throw new Refusal("the folder " + path + " cannot be written; name another with --out");
        }
        return isNew;
    }

    /** Deletes the folder if it has no checkpoint. */
    void deleteUnused() throws IOException {
        if (isUsed()) return;
        Files.deleteIfExists(sources());
        Files.deleteIfExists(lockFile());
        try {
            Files.deleteIfExists(path);
        } catch (DirectoryNotEmptyException _) {
            // another program has put a file there
        }
    }

    /**
     * Locks the folder against other runs. The operating system releases the lock however the
     * process ends.
     */
    Lock lock() throws IOException {
        var real = path.toRealPath();
        // closing any channel of a file releases all locks that the process has on it
        if (!Lock.HELD.add(real)) throw goingOn();
        var channel = Optional.<FileChannel>empty();
        try {
            channel = locked(lockFile());
        } finally {
            if (channel.isEmpty()) Lock.HELD.remove(real);
        }
        return new Lock(this, real, channel.orElseThrow(this::goingOn));
    }

    /** A channel that holds the lock of {@code file}; empty if another process holds it. */
    private static Optional<FileChannel> locked(Path file) throws IOException {
        var channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean isMine = false;
        try {
            isMine = channel.tryLock() != null;
            return isMine ? Optional.of(channel) : Optional.empty();
        } finally {
            if (!isMine) channel.close();
        }
    }

    private Refusal goingOn() {
        return new Refusal(
                "another run is going on in "
                        + path
                        + "; wait until it has ended, or name another folder with --out");
    }

    /** The lock that keeps other runs out of the folder. */
    record Lock(RunFolder folder, Path real, FileChannel channel) implements AutoCloseable {
        private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

        @Override
        public void close() throws IOException {
            if (!folder.isUsed()) Files.deleteIfExists(folder.lockFile());
            channel.close();
            HELD.remove(real);
        }
    }

    /**
     * Saves {@code checkpoint}. The new file is complete before the old ones are touched: after any
     * failure, such as a full disk or a kill, both old files are unchanged.
     */
    void save(Checkpoint.Writer checkpoint) throws IOException {
        var next = path.resolve("checkpoint.next");
        try {
            checkpoint.write(next);
            if (Files.exists(checkpoint())) {
                var link = path.resolve("checkpoint.before.part");
                Files.deleteIfExists(link);
                try {
                    Files.createLink(link, checkpoint());
                } catch (UnsupportedOperationException | IOException _) {
                    Files.copy(checkpoint(), link, StandardCopyOption.REPLACE_EXISTING);
                }
                Files.move(link, before(), StandardCopyOption.ATOMIC_MOVE);
            }
            AtomicFile.rename(next, checkpoint());
        } catch (IOException e) {
            throw new Refusal(
                    "the checkpoint of step "
                            + checkpoint.step()
                            + " cannot be written to "
                            + path
                            + " ("
                            + ErrorMessages.why(e)
                            + "); "
                            + (isUsed()
                                    ? "the last good one is kept: go on from it with --resume once"
                                            + " the folder can be written"
                                    : "there is no earlier one; name another folder with --out"),
                    e);
        }
    }

    /** A checkpoint, and a note if it is not the latest one. */
    record Found(Checkpoint checkpoint, String remark) {}

    void requireUsed() {
        if (isUsed()) return;
        throw new Refusal(
                "there is no checkpoint in "
                        + path
                        + " to resume; name its folder with --out, or leave --resume away");
    }

    /** The latest checkpoint that is complete and undamaged. */
    Found restore() throws IOException {
        requireUsed();
        try {
            return new Found(Checkpoint.read(checkpoint()), "");
        } catch (IOException latest) {
            return new Found(older(latest), latest.getMessage() + "; going on from the one before");
        }
    }

    private Checkpoint older(IOException latest) {
        try {
            return Checkpoint.read(before());
        } catch (IOException e) {
            throw new Refusal(
                    ("no checkpoint can be read: %s; the one before: %s; start anew with another"
                                    + " --out")
                            .formatted(latest.getMessage(), e.getMessage()),
                    e);
        }
    }
}
