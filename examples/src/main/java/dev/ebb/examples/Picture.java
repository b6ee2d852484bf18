package dev.ebb.examples;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;

/** Draws lines in a frame as SVG, and a field of numbers as PNG, in plain Java. */
final class Picture {
    private static final int WIDTH = 640;
    private static final int HEIGHT = 400;
    private static final int MARGIN = 40;

    private final double left;
    private final double right;
    private final double low;
    private final double high;
    private final StringBuilder shapes = new StringBuilder();

    /** A frame with these ranges of the axes. */
    Picture(double left, double right, double low, double high) {
        this.left = left;
        this.right = right;
        this.low = low;
        this.high = high;
    }

    private double x(double at) {
        return MARGIN + (at - left) / (right - left) * (WIDTH - 2 * MARGIN);
    }

    private double y(double at) {
        return HEIGHT - MARGIN - (at - low) / (high - low) * (HEIGHT - 2 * MARGIN);
    }

    Picture line(double[] xs, double[] ys, String colour, double width) {
        shapes.append("<polyline fill=\"none\" stroke=\"").append(colour);
        shapes.append("\" stroke-width=\"").append(width).append("\" points=\"");
        for (int i = 0; i < xs.length; i++)
            shapes.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(xs[i]), y(ys[i])));
        shapes.append("\"/>\n");
        return this;
    }

    Picture dot(double atX, double atY, String colour) {
        shapes.append(
                String.format(
                        Locale.ROOT,
                        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>%n",
                        x(atX),
                        y(atY),
                        colour));
        return this;
    }

    Picture text(double atX, double atY, String words) {
        shapes.append(
                String.format(
                        Locale.ROOT,
                        "<text x=\"%.1f\" y=\"%.1f\" font-size=\"13\" font-family=\"sans-serif\">"
                                + "%s</text>%n",
                        x(atX),
                        y(atY),
                        words));
        return this;
    }

    String svg() {
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "
                + (WIDTH + " " + HEIGHT)
                + "\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                + shapes
                + "</svg>\n";
    }

    /** Rows of numbers from 0 to 1 as colours from dark blue over red to yellow. */
    static byte[] png(double[][] field) {
        int height = field.length;
        int width = field[0].length;
        var rows = new byte[height * (1 + 3 * width)];
        int at = 0;
        for (double[] row : field) {
            at++; // the PNG filter of this row: none
            for (double value : row) {
                double v = Math.clamp(value, 0, 1);
                rows[at++] = (byte) (255 * Math.min(1, 1.6 * v));
                rows[at++] = (byte) (255 * Math.clamp(2 * v - 0.9, 0, 1));
                rows[at++] = (byte) (255 * Math.clamp(0.35 + v - 2.5 * v * v, 0, 1));
            }
        }
        try {
            var all = new ByteArrayOutputStream();
            var out = new DataOutputStream(all);
            out.writeLong(0x89504E470D0A1A0AL);
            var header = new ByteArrayOutputStream();
            var head = new DataOutputStream(header);
            head.writeInt(width);
            head.writeInt(height);
            head.write(new byte[] {8, 2, 0, 0, 0});
            chunk(out, "IHDR", header.toByteArray());
            var packed = new ByteArrayOutputStream();
            try (var deflater = new Deflater(9);
                    var stream = new DeflaterOutputStream(packed, deflater)) {
                stream.write(rows);
            }
            chunk(out, "IDAT", packed.toByteArray());
            chunk(out, "IEND", new byte[0]);
            return all.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void chunk(DataOutputStream out, String name, byte[] data) throws IOException {
        var type = name.getBytes(StandardCharsets.US_ASCII);
        var sum = new CRC32();
        sum.update(type);
        sum.update(data);
        out.writeInt(data.length);
        out.write(type);
        out.write(data);
        out.writeInt((int) sum.getValue());
    }
}
