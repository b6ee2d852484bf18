package dev.ebb;

import dev.ebb.exec.Report;
import dev.ebb.plan.Plan;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Percentage;
import jdk.jfr.StackTrace;

import java.util.function.Consumer;

/**
 * The events of {@link EventRecorder}. Loaded only if module jdk.jfr is present and a recording was
 * started in this process, because creating the first event takes a tenth of a second.
 */
final class FlightEvents implements EventRecorder {

    @Name("dev.ebb.Compile")
    @Label("Compile")
    @Category("Ebb")
    @Description("A function was traced, differentiated, planned and bound to a device")
    static final class Compile extends Event {
        @Label("Kernels")
        int kernels;

        @Label("Promised peak")
        @DataAmount
        long promisedBytes;
    }

    @Name("dev.ebb.Plan")
    @Label("Plan")
    @Category("Ebb")
    @Description("A graph was planned in a budget")
    static final class Planned extends Event {
        @Label("Strategy")
        String strategy = "";

        @Label("Kernels")
        int kernels;

        @Label("Promised peak")
        @DataAmount
        long promisedBytes;

        @Label("Peak of keeping everything")
        @DataAmount
        long storeAllBytes;

        @Label("Computations again")
        int recomputed;

        @Label("Predicted cost")
        double cost;

        @Label("Gap to the lower bound")
        @Percentage
        double gap;
    }

    @Name("dev.ebb.Run")
    @Label("Run")
    @Category("Ebb")
    @Description("A program ran once")
    @StackTrace(false)
    static final class Run extends Event {
        @Label("Promised peak")
        @DataAmount
        long promisedBytes;

        @Label("Measured peak")
        @DataAmount
        long measuredBytes;

        @Label("Computations")
        int computed;

        @Label("Computations again")
        int recomputed;

        @Label("Share of time spent computing again")
        @Percentage
        double recomputationShare;
    }

    @Override
    public Consumer<Plan> compiling() {
        if (!FlightRecorder.isInitialized()) return _ -> {};
        var event = new Compile();
        event.begin();
        return plan -> {
            event.end();
            if (!event.shouldCommit()) return;
            event.kernels = plan.schedule().problem().graph().nodes().size();
            event.promisedBytes = plan.peakBytes();
            event.commit();
        };
    }

    @Override
    public Consumer<Plan> planning(String strategy) {
        if (!FlightRecorder.isInitialized()) return _ -> {};
        var event = new Planned();
        event.begin();
        return plan -> {
            event.end();
            if (!event.shouldCommit()) return;
            event.strategy = strategy;
            event.kernels = plan.schedule().problem().graph().nodes().size();
            event.promisedBytes = plan.peakBytes();
            event.storeAllBytes = plan.storeAllBytes();
            event.recomputed = plan.schedule().footprint().recomputed();
            event.cost = plan.cost();
            event.gap = plan.gap();
            event.commit();
        };
    }

    @Override
    public Consumer<Report> running() {
        if (!FlightRecorder.isInitialized()) return _ -> {};
        var event = new Run();
        event.begin();
        return report -> {
            event.end();
            if (!event.shouldCommit()) return;
            event.promisedBytes = report.promisedBytes();
            event.measuredBytes = report.measuredBytes();
            event.computed = report.computed();
            event.recomputed = report.recomputed();
            event.recomputationShare = report.recomputationShare();
            event.commit();
        };
    }
}
