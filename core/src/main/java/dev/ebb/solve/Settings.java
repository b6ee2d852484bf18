package dev.ebb.solve;

/** Checks the settings of searches and of solvers. */
final class Settings {
    private Settings() {}

    static void check(String method, double tolerance, int limit) {
        if (!(tolerance > 0) || limit < 1) {
            throw new IllegalArgumentException(
                    "%s needs a positive tolerance and limit, not %s and %s"
                            .formatted(method, tolerance, limit));
        }
    }

    static void tolerances(double relative, double absolute) {
        if (!(relative >= 0 && absolute >= 0 && relative + absolute > 0)) {
            throw new IllegalArgumentException(
                    "tolerances must not be negative and not both be 0: %s, %s"
                            .formatted(relative, absolute));
        }
    }

    static void steps(int steps) {
        if (steps < 1) {
            throw new IllegalArgumentException("a solver takes at least one step, not " + steps);
        }
    }
}
