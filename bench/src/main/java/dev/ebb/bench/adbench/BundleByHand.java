package dev.ebb.bench.adbench;

/** The derivatives of {@link Bundle}, observation by observation. */
final class BundleByHand {
    private final Bundle.Data data;
    final double[] byCamera;
    final double[] byPoint;
    final double[] byWeight;
    private final double[] axis = new double[3];
    private final double[] x = new double[3];
    private final double[] crossed = new double[3];
    private final double[] turned = new double[3];
    private final double[] slope = new double[3];

    /**
     * @param most the number of observations that are processed at a time
     */
    BundleByHand(Bundle.Data data, int most) {
        this.data = data;
        byCamera = new double[most * 2 * Bundle.CAMERA];
        byPoint = new double[most * 6];
        byWeight = new double[most * 2];
    }

    /** The observations {@code from} to {@code to}. */
    void run(int from, int to) {
        for (int i = from; i < to; i++) one(i, i - from);
    }

    private void one(int i, int to) {
        var c = data.cameras();
        int at = data.camera()[i] * Bundle.CAMERA;
        for (int j = 0; j < 3; j++) x[j] = data.points()[data.point()[i] * 3 + j] - c[at + 3 + j];
        double angle = Math.sqrt(c[at] * c[at] + c[at + 1] * c[at + 1] + c[at + 2] * c[at + 2]);
        double cos = Math.cos(angle);
        double sin = Math.sin(angle);
        double inverse = 1 / angle;
        for (int j = 0; j < 3; j++) axis[j] = c[at + j] * inverse;
        cross(axis, x, crossed);
        double along = dot(axis, x);
        for (int j = 0; j < 3; j++)
            turned[j] = x[j] * cos + crossed[j] * sin + axis[j] * along * (1 - cos);
        double u = turned[0] / turned[2];
        double v = turned[1] / turned[2];
        double r = u * u + v * v;
        double stretch = 1 + c[at + 9] * r + c[at + 10] * r * r;
        double focal = c[at + 6];
        double w = data.weights()[i];
        byWeight[2 * to] = u * stretch * focal + c[at + 7] - data.features()[2 * i];
        byWeight[2 * to + 1] = v * stretch * focal + c[at + 8] - data.features()[2 * i + 1];
        double growth = c[at + 9] + 2 * c[at + 10] * r;
        for (int k = 0; k < 2; k++) {
            double p = k == 0 ? u : v;
            int out = (2 * to + k) * Bundle.CAMERA;
            byCamera[out + 6] = w * p * stretch;
            byCamera[out + 7] = k == 0 ? w : 0;
            byCamera[out + 8] = k == 1 ? w : 0;
            byCamera[out + 9] = w * focal * p * r;
            byCamera[out + 10] = w * focal * p * r * r;
            double du = w * focal * (p * growth * 2 * u + (k == 0 ? stretch : 0));
            double dv = w * focal * (p * growth * 2 * v + (k == 1 ? stretch : 0));
            slope[0] = du / turned[2];
            slope[1] = dv / turned[2];
            slope[2] = -(du * u + dv * v) / turned[2];
            rotation(out, (2 * to + k) * 3, cos, sin, along, inverse);
        }
    }

    /** Computes the derivatives by rotation, centre and point from those by the rotated point. */
    private void rotation(
            int out, int point, double cos, double sin, double along, double inverse) {
        double onAxis = dot(slope, axis);
        double byCos = dot(slope, x) - along * onAxis;
        double bySin = dot(slope, crossed);
        double byAngle = cos * bySin - sin * byCos;
        double a0 = sin * (x[1] * slope[2] - x[2] * slope[1]);
        double a1 = sin * (x[2] * slope[0] - x[0] * slope[2]);
        double a2 = sin * (x[0] * slope[1] - x[1] * slope[0]);
        a0 += (1 - cos) * (along * slope[0] + onAxis * x[0]);
        a1 += (1 - cos) * (along * slope[1] + onAxis * x[1]);
        a2 += (1 - cos) * (along * slope[2] + onAxis * x[2]);
        double inward = a0 * axis[0] + a1 * axis[1] + a2 * axis[2];
        byCamera[out] = (a0 - inward * axis[0]) * inverse + byAngle * axis[0];
        byCamera[out + 1] = (a1 - inward * axis[1]) * inverse + byAngle * axis[1];
        byCamera[out + 2] = (a2 - inward * axis[2]) * inverse + byAngle * axis[2];
        double d0 = slope[1] * axis[2] - slope[2] * axis[1];
        double d1 = slope[2] * axis[0] - slope[0] * axis[2];
        double d2 = slope[0] * axis[1] - slope[1] * axis[0];
        byPoint[point] = slope[0] * cos + sin * d0 + (1 - cos) * onAxis * axis[0];
        byPoint[point + 1] = slope[1] * cos + sin * d1 + (1 - cos) * onAxis * axis[1];
        byPoint[point + 2] = slope[2] * cos + sin * d2 + (1 - cos) * onAxis * axis[2];
        for (int j = 0; j < 3; j++) byCamera[out + 3 + j] = -byPoint[point + j];
    }

    private static double dot(double[] a, double[] b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }

    private static void cross(double[] a, double[] b, double[] out) {
        out[0] = a[1] * b[2] - a[2] * b[1];
        out[1] = a[2] * b[0] - a[0] * b[2];
        out[2] = a[0] * b[1] - a[1] * b[0];
    }
}
