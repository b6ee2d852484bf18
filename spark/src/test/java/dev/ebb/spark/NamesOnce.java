package dev.ebb.spark;

import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;

import java.io.IOException;
import java.net.URI;

/**
 * This machine's files as {@code once:/...}; as on HDFS, a file is not renamed to an existing one.
 */
public final class NamesOnce extends RawLocalFileSystem {
    @Override
    public String getScheme() {
        return "once";
    }

    @Override
    public URI getUri() {
        return URI.create("once:///");
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        return !exists(to) && super.rename(from, to);
    }
}
