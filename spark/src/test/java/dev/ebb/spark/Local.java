package dev.ebb.spark;

import org.apache.spark.sql.SparkSession;

/** A session on {@code local[2]} that the tests of a process share. */
final class Local {
    private Local() {}

    static SparkSession session() {
        return SparkSession.builder()
                .master("local[2]")
                .appName("ebb test")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "localhost")
                .config("spark.driver.bindAddress", "localhost")
                .config("spark.sql.shuffle.partitions", "2")
                .getOrCreate();
    }

    /** Ends it, if there is one. */
    static void stop() {
        var active = SparkSession.getActiveSession();
        if (active.isDefined()) active.get().stop();
        var usual = SparkSession.getDefaultSession();
        if (usual.isDefined()) usual.get().stop();
        SparkSession.clearActiveSession();
        SparkSession.clearDefaultSession();
    }
}
