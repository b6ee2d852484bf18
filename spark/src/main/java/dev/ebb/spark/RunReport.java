package dev.ebb.spark;

import java.util.List;
import java.util.Locale;

/**
 * A report of a run on Spark as one self-contained web page: the losses, and a chart of each rank's
 * memory.
 */
final class RunReport {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 160;
    private static final String HEAD =
            """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>Ebb on Spark</title>
            <style>
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
            svg { width: 100%; height: auto; background: #f6f8fa; }
            table { border-collapse: collapse; }
            td, th { padding: 0.2rem 0.8rem 0.2rem 0; text-align: left; }
            .area { fill: #0969da; } .line { fill: none; stroke: #0969da; stroke-width: 2; }
            .bound { stroke: #cf222e; stroke-width: 2; }
            </style>
            </head>
            <body>
            """;

    private RunReport() {}

    static String of(String title, SparkResult trained) {
        var page = new StringBuilder(HEAD);
        page.append("<h1>").append(escaped(title)).append("</h1>\n");
        page.append("<p>Weights <code>").append(trained.digest()).append("</code></p>\n");
        page.append("<h2>Loss</h2>\n").append(losses(trained.losses()));
        page.append("<h2>Ranks</h2>\n<table>\n<tr><th>rank<th>host<th>promised<th>measured</tr>\n");
        for (var rank : trained.ranks()) {
            page.append(
                    String.format(
                            Locale.ROOT,
                            "<tr><td>%d<td>%s<td>%,d bytes<td>%,d bytes</tr>%n",
                            rank.rank(),
                            escaped(rank.host()),
                            rank.promisedBytes(),
                            rank.measuredBytes()));
        }
        page.append("</table>\n");
        for (var rank : trained.ranks()) page.append(memory(rank));
        return page.append("</body>\n</html>\n").toString();
    }

    private static String memory(RankResult rank) {
        var held = rank.memory().heldBytes();
        var heading = "<h3>Memory of rank " + rank.rank() + " in a step</h3>\n";
        if (held.isEmpty()) return heading + "<p>All steps were made before.</p>\n";
        double most = rank.promisedBytes();
        var path = new StringBuilder("M0 " + HEIGHT);
        for (int i = 0; i < held.size(); i++) {
            double y = HEIGHT * (1 - 0.95 * held.get(i) / most);
            path.append(point(" L", i, held.size(), y)).append(point(" L", i + 1, held.size(), y));
        }
        path.append(" L" + WIDTH + " " + HEIGHT + " Z");
        return heading
                + svg(
                        "bytes held at each computation of rank " + rank.rank(),
                        "<path class=\"area\" d=\""
                                + path
                                + "\"/>"
                                + String.format(
                                        Locale.ROOT,
                                        "<line class=\"bound\" x1=\"0\" x2=\"%d\" y1=\"%.1f\""
                                                + " y2=\"%.1f\"/>",
                                        WIDTH,
                                        HEIGHT * 0.05,
                                        HEIGHT * 0.05))
                + String.format(
                        Locale.ROOT,
                        "<p>Line: %,d bytes promised, kernels' own memory included. %d"
                                + " computations.</p>%n",
                        rank.promisedBytes(),
                        held.size());
    }

    private static String losses(List<Double> losses) {
        double most = losses.stream().filter(Double::isFinite).reduce(0.0, Math::max);
        var path = new StringBuilder();
        for (int i = 0; i < losses.size(); i++) {
            if (!Double.isFinite(losses.get(i))) continue;
            double y = HEIGHT * (1 - 0.95 * losses.get(i) / most);
            path.append(point(path.isEmpty() ? "M" : " L", i, Math.max(1, losses.size() - 1), y));
        }
        return svg("loss of each step", "<path class=\"line\" d=\"" + path + "\"/>")
                + String.format(
                        Locale.ROOT,
                        "<p>%d steps, from %.4f to %.4f.</p>%n",
                        losses.size(),
                        losses.getFirst(),
                        losses.getLast());
    }

    private static String point(String before, int i, int of, double y) {
        return String.format(Locale.ROOT, "%s%.2f %.2f", before, (double) WIDTH * i / of, y);
    }

    private static String svg(String label, String inner) {
        return "<svg viewBox=\"0 0 "
                + WIDTH
                + " "
                + HEIGHT
                + "\" role=\"img\" aria-label=\""
                + escaped(label)
                + "\" preserveAspectRatio=\"none\">"
                + inner
                + "</svg>\n";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
