package dev.ebb.bench.adbench;

import java.util.Arrays;

/**
 * The derivatives of {@link Hand}: first of all vertices with respect to the pose, then of all
 * points.
 */
final class HandByHand {
    private static final int ANGLES = Hand.POSE - 6;

    private final Hand.Data data;
    private final boolean complicated;
    private final double[] weighted;

    /** {@code [26, points, 3]}. */
    final double[] byPose;

    /** {@code [points, 3, 2]}. */
    final double[] byPlace;

    /** The vertices, then their derivatives with respect to each number of the pose. */
    private final double[][] moved;

    /** The transformation of each bone, and its derivatives with respect to each angle. */
    private final double[][] change = new double[Hand.BONES][12];

    private final double[][][] changes = new double[ANGLES][Hand.BONES][];
    private final double[] posed;

    HandByHand(Hand.Data data, boolean complicated) {
        this.data = data;
        this.complicated = complicated;
        weighted = data.weighted();
        byPose = new double[Hand.POSE * data.points() * 3];
        byPlace = new double[data.points() * 6];
        moved = new double[1 + Hand.POSE][data.count() * 3];
        posed = new double[data.count() * 3];
    }

    void run() {
        bones();
        var global = rotations();
        Arrays.fill(posed, 0);
        for (int b = 0; b < Hand.BONES; b++) add(change[b], b, posed);
        turn(global[0], posed, moved[0]);
        for (int v = 0; v < data.count(); v++)
            for (int k = 0; k < 3; k++) moved[0][v * 3 + k] += data.pose()[3 + k];
        for (int k = 0; k < 3; k++) {
            turn(global[1 + k], posed, moved[1 + k]);
            for (int v = 0; v < data.count(); v++) moved[4 + k][v * 3 + k] = 1;
        }
        for (int a = 0; a < ANGLES; a++) {
            Arrays.fill(posed, 0);
            for (int b = 0; b < Hand.BONES; b++)
                if (changes[a][b] != null) add(changes[a][b], b, posed);
            turn(global[0], posed, moved[7 + a]);
        }
        points();
    }

    private void points() {
        int n = data.points();
        var at = data.corners();
        for (int p = 0; p < Hand.POSE; p++) {
            var from = moved[1 + p];
            for (int i = 0; i < n; i++) {
                double u = complicated ? data.places()[2 * i] : 1;
                double v = complicated ? data.places()[2 * i + 1] : 0;
                double w = 1 - (u + v);
                for (int k = 0; k < 3; k++) {
                    double x = from[at[3 * i] * 3 + k];
                    if (complicated)
                        x =
                                x * u
                                        + from[at[3 * i + 1] * 3 + k] * v
                                        + from[at[3 * i + 2] * 3 + k] * w;
                    byPose[(p * n + i) * 3 + k] = -x;
                }
            }
        }
        if (!complicated) return;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 3; k++) {
                double last = moved[0][at[3 * i + 2] * 3 + k];
                byPlace[(i * 3 + k) * 2] = last - moved[0][at[3 * i] * 3 + k];
                byPlace[(i * 3 + k) * 2 + 1] = last - moved[0][at[3 * i + 1] * 3 + k];
            }
        }
    }

    private void bones() {
        for (var one : changes) Arrays.fill(one, null);
        var root = frame(data.base(), 0);
        change[0] = after(root, frame(data.inverse(), 0));
        int last = Hand.BONES - 1;
        change[last] = after(after(root, frame(data.base(), last)), frame(data.inverse(), last));
        for (int f = 0; f < Hand.FINGERS; f++) {
            var parent = root;
            var before = new double[4][];
            for (int j = 0; j < Hand.JOINTS; j++) {
                int b = 1 + f * Hand.JOINTS + j;
                var own = frame(data.base(), b);
                double x = j == 0 ? 0 : angle(f, j == 1 ? 0 : j);
                double z = j == 1 ? angle(f, 1) : 0;
                var local = j == 0 ? own : after(own, turn(x, z, 0));
                var here = after(parent, local);
                var inverse = frame(data.inverse(), b);
                change[b] = after(here, inverse);
                for (int a = 0; a < 4; a++) {
                    int joint = a < 2 ? 1 : a;
                    if (joint > j) continue;
                    double[] slope;
                    if (joint < j) slope = after(before[a], local);
                    else slope = only(parent, only(own, turn(x, z, a == 1 ? 2 : 1)));
                    before[a] = slope;
                    changes[f * 4 + a][b] = after(slope, inverse);
                }
                parent = here;
            }
        }
    }

    private double angle(int finger, int which) {
        return data.pose()[6 + finger * 4 + which];
    }

    private static double[] frame(double[] all, int b) {
        return Arrays.copyOfRange(all, b * 12, b * 12 + 12);
    }

    /**
     * The rotation about x and then about z, or its derivative with respect to the first or second
     * angle.
     */
    private static double[] turn(double a, double b, int by) {
        double ca = by == 1 ? -Math.sin(a) : Math.cos(a);
        double sa = by == 1 ? Math.cos(a) : Math.sin(a);
        double cb = by == 2 ? -Math.sin(b) : Math.cos(b);
        double sb = by == 2 ? Math.cos(b) : Math.sin(b);
        double plain = by == 1 ? 0 : 1;
        double other = by == 2 ? 0 : 1;
        return new double[] {
            cb * plain,
            -sb * ca,
            sb * sa,
            0,
            sb * plain,
            cb * ca,
            -cb * sa,
            0,
            0,
            sa * other,
            ca * other,
            0
        };
    }

    /** The product of two frames, with the translation of the first multiplied by {@code shift}. */
    private static double[] product(double[] x, double[] y, double shift) {
        var out = new double[12];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 4; j++) {
                double sum = 0;
                for (int k = 0; k < 3; k++) sum += x[i * 4 + k] * y[k * 4 + j];
                out[i * 4 + j] = j == 3 ? sum + shift * x[i * 4 + 3] : sum;
            }
        }
        return out;
    }

    /** A frame in another one; also maps derivatives of the first frame. */
    private static double[] after(double[] x, double[] y) {
        return product(x, y, 1);
    }

    /** Maps derivatives of the second frame: a product without the translation of the first. */
    private static double[] only(double[] x, double[] y) {
        return product(x, y, 0);
    }

    private void add(double[] frame, int b, double[] to) {
        for (int v = 0; v < data.count(); v++) {
            int at = (v * Hand.BONES + b) * 4;
            for (int i = 0; i < 3; i++)
                to[v * 3 + i] +=
                        frame[i * 4] * weighted[at]
                                + frame[i * 4 + 1] * weighted[at + 1]
                                + frame[i * 4 + 2] * weighted[at + 2]
                                + frame[i * 4 + 3] * weighted[at + 3];
        }
    }

    private void turn(double[] r, double[] from, double[] to) {
        for (int v = 0; v < data.count(); v++)
            for (int i = 0; i < 3; i++)
                to[v * 3 + i] =
                        r[i * 3] * from[v * 3]
                                + r[i * 3 + 1] * from[v * 3 + 1]
                                + r[i * 3 + 2] * from[v * 3 + 2];
    }

    /** The rotation of the whole hand, and its derivatives with respect to its three numbers. */
    private double[][] rotations() {
        var r = data.pose();
        double angle = Math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
        double cos = Math.cos(angle);
        double sin = Math.sin(angle);
        double[] a = {r[0] / angle, r[1] / angle, r[2] / angle};
        var all = new double[4][9];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                all[0][i * 3 + j] =
                        (i == j ? cos : 0) + sin * cross(a, i, j) + (1 - cos) * a[i] * a[j];
        for (int k = 0; k < 3; k++) {
            var d = new double[3];
            for (int i = 0; i < 3; i++) d[i] = ((i == k ? 1 : 0) - a[i] * a[k]) / angle;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    all[1 + k][i * 3 + j] =
                            (i == j ? -sin * a[k] : 0)
                                    + cos * a[k] * cross(a, i, j)
                                    + sin * cross(d, i, j)
                                    + sin * a[k] * a[i] * a[j]
                                    + (1 - cos) * (d[i] * a[j] + a[i] * d[j]);
        }
        return all;
    }

    private static double cross(double[] a, int i, int j) {
        if (i == j) return 0;
        double x = a[3 - i - j];
        return (j - i + 3) % 3 == 1 ? -x : x;
    }
}
