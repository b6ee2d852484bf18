package dev.ebb.spark;

import org.apache.spark.sql.SparkSession;

/** A session on {@code local[2]} that the tests of a process share. */
final class Local {
    private Local() {}

    /**
     * A session for tables of a few rows: without code generation, which would take longer than the
     * rows.
     */
    static SparkSession session() {
        return builder()
                .config("spark.sql.codegen.wholeStage", "false")
                .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
                .config("spark.sql.adaptive.enabled", "false")
                .getOrCreate();
    }

    static SparkSession.Builder builder() {
        return SparkSession.builder()
                .master("local[2]")
                .appName("ebb test")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "localhost")
                .config("spark.driver.bindAddress", "localhost")
                .config("spark.sql.shuffle.partitions", "2")
                .config("spark.hadoop.fs.full.impl", FullDisk.class.getName())
                .config("spark.hadoop.fs.once.impl", NamesOnce.class.getName());
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
