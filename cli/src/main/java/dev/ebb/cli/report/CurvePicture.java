package dev.ebb.cli.report;

import dev.ebb.cli.option.BudgetText;
import dev.ebb.plan.TradeOff;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Draws the trade-off of time against memory as an SVG picture: memory on the horizontal axis, time
 * on the vertical one, and one line for each set of ways to restore values. It has a grid, and
 * colours for light and dark pages.
 */
public final class CurvePicture {
    private static final int WIDTH = 760;
    private static final int HEIGHT = 440;
    private static final int LEFT = 72;
    private static final int RIGHT = WIDTH - 24;
    private static final int TOP = 48;
    private static final int BASE = HEIGHT - 60;
    private static final int MARKS = 6;
    private static final double[] ROUND = {1, 2, 2.5, 5, 10};
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

    /**
     * The number of lines that have a colour of their own; colour-blind readers can tell these
     * colours apart.
     */
    private static final int COLOURS = 4;

    private static final String STYLE =
            """
            <style>
            svg { --paper: #ffffff; --ink: #16202a; --soft: #56636f; --grid: #e8ecef; --l0: #0b6e8f; --l1: #7a5bb5; --l2: #a8841a; --l3: #c2611b; }
            @media (prefers-color-scheme: dark) { svg { --paper: #181f26; --ink: #e8edf1; --soft: #9dabb7; --grid: #2a343d; --l0: #53b8da; --l1: #a78be0; --l2: #d9b646; --l3: #e58a48; } }
            rect { fill: var(--paper); } text { fill: var(--soft); font: 13px system-ui, sans-serif; } .title { fill: var(--ink); font-weight: 600; }
            .grid { stroke: var(--grid); } .least { stroke: var(--soft); stroke-dasharray: 3 3; }
            .l0 { stroke: var(--l0); } .l1 { stroke: var(--l1); } .l2 { stroke: var(--l2); } .l3 { stroke: var(--l3); }
            text.l0 { fill: var(--l0); stroke: none; } text.l1 { fill: var(--l1); stroke: none; } text.l2 { fill: var(--l2); stroke: none; } text.l3 { fill: var(--l3); stroke: none; }
            </style>
            """;

    private final TradeOff curve;
    private final double dearest;
    private final StringBuilder out = new StringBuilder();

    private CurvePicture(TradeOff curve) {
        this.curve = curve;
        double most = 1.05;
        for (var line : curve.lines())
            most = Math.max(most, line.points().getLast().cost() / curve.storeAllCost());
        dearest = 1 + (most - 1) * 1.05;
    }

    public static String svg(TradeOff curve) {
        return new CurvePicture(curve).draw();
    }

    private String draw() {
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\""
                        + " aria-label=\"Predicted time by budget, from %s to %s\">",
                WIDTH,
                HEIGHT,
                BudgetText.show(curve.leastBytes()),
                BudgetText.show(curve.storeAllBytes()));
        out.append(STYLE);
        add("<rect width=\"100%%\" height=\"100%%\"/>");
        grid();
        add(
                "<line class=\"least\" x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"%2$d\" y2=\"%3$d\"/>",
                x((double) curve.leastBytes()), TOP, BASE);
        add(
                "<text x=\"%.1f\" y=\"%d\">least budget %s</text>",
                x((double) curve.leastBytes()) + 6, BASE - 8, BudgetText.show(curve.leastBytes()));
        lines();
        add(
                "<text class=\"title\" x=\"%d\" y=\"24\">Predicted time, of computing everything"
                        + " once</text>",
                16);
        add(
                "<text class=\"title\" x=\"%d\" y=\"%d\" text-anchor=\"end\">Budget</text>",
                RIGHT, HEIGHT - 14);
        return out.append("</svg>\n").toString();
    }

    private void add(String form, Object... values) {
        out.append(String.format(Locale.ROOT, form, values)).append('\n');
    }

    private double x(double bytes) {
        return LEFT + (RIGHT - LEFT) * bytes / curve.storeAllBytes();
    }

    private double y(double time) {
        return BASE - (BASE - TOP) * (time - 1) / (dearest - 1);
    }

    private void grid() {
        for (double time : marks(1, dearest)) {
            add(
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%3$.1f\"/>",
                    LEFT, RIGHT, y(time));
            add(
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
                    LEFT - 10, y(time) + 4, number(time));
        }
        int unit =
                Math.min(
                        UNITS.length - 1,
                        (63 - Long.numberOfLeadingZeros(Math.max(1, curve.storeAllBytes()))) / 10);
        double scale = Math.pow(1024, unit);
        for (double bytes : marks(0, curve.storeAllBytes() / scale)) {
            double at = x(bytes * scale);
            add(
                    "<line class=\"grid\" x1=\"%.1f\" x2=\"%1$.1f\" y1=\"%d\" y2=\"%d\"/>",
                    at, TOP, BASE);
            add(
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                    at, BASE + 20, bytes == 0 ? "0" : number(bytes) + " " + UNITS[unit]);
        }
    }

    private void lines() {
        var lines = curve.lines();
        for (int i = lines.size() - 1; i >= 0; i--) {
            var line = lines.get(i);
            int colour = i % COLOURS;
            add(
                    "<path class=\"l%d\" d=\"%s\" fill=\"none\" stroke-width=\"2\"/>",
                    colour, path(line));
            if (lines.size() > 1)
                add(
                        "<text class=\"l%d\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s, from"
                                + " %s</text>",
                        colour,
                        RIGHT,
                        TOP + 14 + 18 * i,
                        line.ways(),
                        BudgetText.show(line.leastBytes()));
        }
    }

    /**
     * The line as steps: horizontal between two points, because a budget between them gets the plan
     * of the lower one.
     */
    private String path(TradeOff.Line line) {
        var path = new StringBuilder();
        double before = Double.NaN;
        for (var c : line.points()) {
            double x = x((double) c.bytes());
            double y = y(c.cost() / curve.storeAllCost());
            if (!path.isEmpty()) path.append(point('L', x, before));
            path.append(point(path.isEmpty() ? 'M' : 'L', x, y));
            before = y;
        }
        return path.toString();
    }

    private static String point(char move, double x, double y) {
        return String.format(Locale.ROOT, "%c%.1f %.1f", move, x, y);
    }

    /** Round numbers from {@code low} to {@code high}. */
    private static List<Double> marks(double low, double high) {
        double raw = (high - low) / MARKS;
        double power = Math.pow(10, Math.floor(Math.log10(raw)));
        double step = 10 * power;
        for (int i = ROUND.length - 1; i >= 0; i--)
            if (ROUND[i] * power >= raw) step = ROUND[i] * power;
        var marks = new ArrayList<Double>();
        for (long i = (long) Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); i++)
            marks.add(i * step);
        return marks;
    }

    private static String number(double x) {
        return BigDecimal.valueOf(x)
                .setScale(4, RoundingMode.HALF_EVEN)
                .stripTrailingZeros()
                .toPlainString();
    }
}
