package dev.ebb.cli.studio;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files of the studio's page, bundled with the program. Only names in a fixed list are served;
 * a request never names a path.
 */
public final class Assets {
    private static final List<String> MODULES =
            List.of(
                    "format.js",
                    "ticks.js",
                    "linechart.js",
                    "memorychart.js",
                    "curvechart.js",
                    "windowed.js",
                    "graph.js",
                    "plan.js",
                    "why.js",
                    "drivers.js",
                    "runs.js",
                    "main.js");

    private static final Map<String, String> TYPES =
            Map.of(
                    "html", "text/html; charset=utf-8",
                    "css", "text/css; charset=utf-8",
                    "js", "text/javascript; charset=utf-8",
                    "svg", "image/svg+xml");

    private Assets() {}

    /** A file's content and type. */
    record Asset(byte[] bytes, String type) {}

    static Optional<Asset> at(String path) throws IOException {
        var name = path.equals("/") ? "index.html" : path.substring(1);
        boolean known =
                MODULES.contains(name)
                        || List.of("index.html", "style.css", "icon.svg").contains(name);
        if (!known) return Optional.empty();
        var type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        return Optional.of(new Asset(bytes(name), String.valueOf(type)));
    }

    /** A bundled file as text, for pages that embed it. */
    public static String text(String name) throws IOException {
        return new String(bytes(name), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String name) throws IOException {
        try (var in = Assets.class.getResourceAsStream(name)) {
            if (in == null) throw new FileNotFoundException("the resource studio/" + name);
            return in.readAllBytes();
        }
    }
}
