package dev.ebb.solve;

/** Checks the settings of all iterative searches. */
final class Settings {
    private Settings() {}

    static void check(String method, double tolerance, int limit) {
        if (!(tolerance > 0) || limit < 1) {
            throw new IllegalArgumentException(
                    method
                            + " needs a positive tolerance and limit, not "
                            + tolerance
                            + " and "
                            + limit);
        }
    }
}
