package dev.ebb.cli.report;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.plan.TradeOff;

import java.util.List;
import java.util.Locale;

/** A trade-off as an SVG picture: memory to the right, time upwards, a line for each way more. */
public final class CurvePicture {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 400;
    private static final int MARGIN = 60;

    private CurvePicture() {}

    /** A colour for each line: computing again alone first. */
    private static final List<String> COLOURS = List.of("#2a9d8f", "#4a6fa5", "#b9a44c", "#e08e45");

    public static String svg(TradeOff curve) {
        double once = curve.storeAllCost();
        double dearest = 1.05;
        for (var line : curve.lines())
            dearest = Math.max(dearest, line.points().getLast().cost() / once);
        var paths = new StringBuilder();
        var lines = curve.lines();
        for (int i = lines.size() - 1; i >= 0; i--) {
            var colour = COLOURS.get(i % COLOURS.size());
            paths.append(
                    "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n"
                            .formatted(path(lines.get(i), curve, dearest), colour));
            if (lines.size() > 1)
                paths.append(
                        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"%s\">%s, from %s</text>\n"
                                .formatted(
                                        WIDTH - MARGIN,
                                        MARGIN + 18 * i,
                                        colour,
                                        lines.get(i).ways(),
                                        BudgetText.show(lines.get(i).leastBytes())));
        }
        int base = HEIGHT - MARGIN;
        return """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">
        <rect width="100%%" height="100%%" fill="white"/>
        <path d="M%d %dV%dH%d" fill="none" stroke="#889"/>
        %s<text x="%d" y="%d" text-anchor="end">%s</text>
        <text x="%d" y="%d">least budget %s</text>
        <text x="%d" y="%d" text-anchor="end">1</text>
        <text x="%d" y="%d" text-anchor="end">%s</text>
        <text x="%d" y="%d">predicted time, relative to keeping everything</text>
        </svg>
        """
                .formatted(
                        WIDTH,
                        HEIGHT,
                        MARGIN,
                        MARGIN,
                        base,
                        WIDTH - MARGIN,
                        paths,
                        WIDTH - MARGIN,
                        base + 20,
                        BudgetText.show(curve.storeAllBytes()),
                        MARGIN,
                        base + 20,
                        BudgetText.show(curve.leastBytes()),
                        MARGIN - 6,
                        base + 4,
                        MARGIN - 6,
                        MARGIN + 4,
                        String.format(Locale.ROOT, "%.2f", dearest),
                        MARGIN,
                        MARGIN - 20);
    }

    private static String path(TradeOff.Line line, TradeOff curve, double dearest) {
        var path = new StringBuilder();
        double before = Double.NaN;
        for (var c : line.points()) {
            double x = MARGIN + (WIDTH - 2.0 * MARGIN) * c.bytes() / curve.storeAllBytes();
            double above = (c.cost() / curve.storeAllCost() - 1) / (dearest - 1);
            double y = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * above;
            if (!path.isEmpty()) path.append(point('L', x, before));
            path.append(point(path.isEmpty() ? 'M' : 'L', x, y));
            before = y;
        }
        return path.toString();
    }

    private static String point(char move, double x, double y) {
        return String.format(Locale.ROOT, "%c%.1f %.1f", move, x, y);
    }
}
