package dev.ebb.examples;

import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.nn.data.Dataset;
import dev.ebb.tensor.Array;

import java.util.List;

/**
 * Training images of digits: 16 by 16 pixels, shifted, sheared, of varying brightness and noisy.
 */
final class Digits {
    private static final int SIZE = 16;

    /** The ten digits, as seven lines of five pixels. */
    private static final List<String> FONT =
            List.of(
                    ".###.#...##..###.#.###..##...#.###.",
                    "..#...##....#....#....#....#...###.",
                    ".###.#...#....#..##..#...#....#####",
                    "####.....#....#.###.....#....#####.",
                    "...#...##..#.#.#..#.#####...#....#.",
                    "######....####.....#....##...#.###.",
                    "..##..#...#....####.#...##...#.###.",
                    "#####....#...#...#...#....#....#...",
                    ".###.#...##...#.###.#...##...#.###.",
                    ".###.#...##...#.####....#...#..##..");

    private Digits() {}

    /** Draws {@code rows} digits, [rows, 1, 16, 16], with their classes. */
    static Dataset draw(int rows, Seed seed) {
        var points = new float[rows * SIZE * SIZE];
        var digits = new long[rows];
        for (int i = 0; i < rows; i++) {
            var own = seed.of(i);
            digits[i] = own.below(10, 1000);
            draw(points, i * SIZE * SIZE, FONT.get((int) digits[i]), own);
        }
        return Dataset.of(Array.of(Shape.of(rows, 1, SIZE, SIZE), points), Array.of(digits));
    }

    private static void draw(float[] points, int from, String digit, Seed seed) {
        double scale = 1.5 + 0.5 * seed.uniform(2001);
        double down = 1 + 2 * seed.uniform(2002);
        double right = 2 + 3 * seed.uniform(2003);
        double shear = 0.4 * (seed.uniform(2004) - 0.5);
        double ink = 0.6 + 0.4 * seed.uniform(2005);
        for (int y = 0; y < SIZE; y++) {
            for (int x = 0; x < SIZE; x++) {
                int row = (int) Math.floor((y - down) / scale);
                int column = (int) Math.floor((x - right + shear * (y - SIZE / 2)) / scale);
                boolean inked =
                        row >= 0
                                && row < 7
                                && column >= 0
                                && column < 5
                                && digit.charAt(row * 5 + column) == '#';
                int at = y * SIZE + x;
                points[from + at] = (float) ((inked ? ink : 0) + 0.15 * seed.normal(at));
            }
        }
    }
}
