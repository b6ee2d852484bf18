package dev.ebb.exec.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The bytes of offloaded values: a file, or a test's replacement for one. */
public interface BackingStore extends AutoCloseable {

    /** Writes some bytes of {@code from}, and returns their number. */
    int write(ByteBuffer from, long at) throws IOException;

    /** Reads some bytes into {@code to}, and returns their number; -1 at the end. */
    int read(ByteBuffer to, long at) throws IOException;

    @Override
    void close() throws IOException;

    /**
     * A file in {@code folder} that no other process sees: its name is deleted as soon as it is
     * open if the system allows that, otherwise when it is closed.
     */
    static BackingStore in(Path folder) throws IOException {
        var path = Files.createTempFile(folder, "ebb-", ".away");
        var channel =
                FileChannel.open(
                        path,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE);
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // some systems cannot delete an open file; it is deleted when it is closed
            path.toFile().deleteOnExit();
        }
        return new BackingStore() {
            @Override
            public int write(ByteBuffer from, long at) throws IOException {
                return channel.write(from, at);
            }

            @Override
            public int read(ByteBuffer to, long at) throws IOException {
                return channel.read(to, at);
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }
}
