package dev.ebb.cli;

import java.util.List;
import java.util.Locale;

/** A trade-off curve as an SVG picture: memory to the right, time upwards. */
final class CurvePicture {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 400;
    private static final int MARGIN = 60;

    private CurvePicture() {}

    static String svg(List<Planned.Corner> corners) {
        double most = corners.getFirst().bytes();
        double once = corners.getFirst().cost();
        double dearest = Math.max(1.05, corners.getLast().cost() / once);
        var path = new StringBuilder();
        double before = Double.NaN;
        for (var c : corners) {
            double x = MARGIN + (WIDTH - 2 * MARGIN) * (c.bytes() / most);
            double y =
                    HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (c.cost() / once - 1) / (dearest - 1);
            if (!path.isEmpty()) path.append(point('L', x, before));
            path.append(point(path.isEmpty() ? 'M' : 'L', x, y));
            before = y;
        }
        int base = HEIGHT - MARGIN;
        return """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">
        <rect width="100%%" height="100%%" fill="white"/>
        <path d="M%d %dV%dH%d" fill="none" stroke="#889"/>
        <path d="%s" fill="none" stroke="#2a9d8f" stroke-width="2"/>
        <text x="%d" y="%d" text-anchor="end">%s</text>
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
                        path,
                        WIDTH - MARGIN,
                        base + 20,
                        BudgetText.show((long) most),
                        MARGIN,
                        base + 20,
                        BudgetText.show(corners.getLast().bytes()),
                        MARGIN - 6,
                        base + 4,
                        MARGIN - 6,
                        MARGIN + 4,
                        String.format(Locale.ROOT, "%.2f", dearest),
                        MARGIN,
                        MARGIN - 20);
    }

    private static String point(char move, double x, double y) {
        return String.format(Locale.ROOT, "%c%.1f %.1f", move, x, y);
    }
}
