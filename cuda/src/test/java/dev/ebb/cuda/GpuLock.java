package dev.ebb.cuda;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A lock for timing something on the GPU. If the system property {@code ebb.turns} names a file,
 * processes with the same file take turns: one times its steps while others plan and compile.
 */
final class GpuLock implements AutoCloseable {
    private final Optional<FileChannel> channel;

    private GpuLock(Optional<FileChannel> channel) {
        this.channel = channel;
    }

    /** Waits until no other process has the lock. */
    static GpuLock take() {
        var file = Optional.ofNullable(System.getProperty("ebb.turns"));
        try {
            if (file.isEmpty()) return new GpuLock(Optional.empty());
            var channel =
                    FileChannel.open(
                            Path.of(file.get()),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.WRITE);
            channel.lock();
            return new GpuLock(Optional.of(channel));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            if (channel.isPresent()) channel.get().close(); // closing it releases the lock
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
