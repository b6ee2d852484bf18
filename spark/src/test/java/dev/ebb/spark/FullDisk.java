package dev.ebb.spark;

import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;

/**
 * This machine's files as {@code full:/...}: the disk is full as long as there is a file {@code
 * no-space}.
 */
public final class FullDisk extends RawLocalFileSystem {

    @Override
    public String getScheme() {
        return "full";
    }

    @Override
    public URI getUri() {
        return URI.create("full:///");
    }

    @Override
    public FSDataOutputStream create(
            Path path,
            FsPermission permission,
            boolean overwrite,
            int buffer,
            short replication,
            long block,
            Progressable progress)
            throws IOException {
        return checked(
                super.create(path, permission, overwrite, buffer, replication, block, progress),
                path);
    }

    @Override
    public FSDataOutputStream create(
            Path path,
            boolean overwrite,
            int buffer,
            short replication,
            long block,
            Progressable progress)
            throws IOException {
        return checked(super.create(path, overwrite, buffer, replication, block, progress), path);
    }

    private FSDataOutputStream checked(FSDataOutputStream out, Path path) throws IOException {
        var folder = pathToFile(path.getParent()).toPath();
        if (!Files.exists(folder.resolve("no-space"))) return out;
        return new FSDataOutputStream(
                new OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("No space left on device");
                    }

                    @Override
                    public void close() throws IOException {
                        out.close();
                    }
                },
                null);
    }
}
