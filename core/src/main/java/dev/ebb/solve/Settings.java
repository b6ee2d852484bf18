package dev.ebb.solve;

/** Checks the settings of all iterative searches. */
final class Settings {
    private Settings() {}

    static void check(String method, double tolerance, int limit) {
        if (!(tolerance > 0) || limit < 1) {
            throw new IllegalArgumentException(
                    "%s needs a positive tolerance and limit, not %s and %s"
                            .formatted(method, tolerance, limit));
        }
    }
}
