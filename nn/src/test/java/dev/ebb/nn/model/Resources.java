package dev.ebb.nn.model;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Objects;

/** Files of the test resources. */
final class Resources {
    private Resources() {}

    static Path path(String name) {
        try {
            var url = Objects.requireNonNull(Resources.class.getResource(name), name);
            return Path.of(url.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
