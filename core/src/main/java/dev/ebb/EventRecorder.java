package dev.ebb;

import dev.ebb.exec.Report;
import dev.ebb.loop.PlanningListener;
import dev.ebb.plan.Plan;

import java.util.function.Consumer;

/**
 * Reports compilations, plans and runs, with their durations, to the JDK Flight Recorder. Does
 * nothing where module jdk.jfr is missing.
 */
interface EventRecorder extends PlanningListener {

    /**
     * A function is being compiled; the consumer that is returned takes the plan when it is done.
     */
    Consumer<Plan> compiling();

    /** A program runs; the consumer that is returned takes its report at the end. */
    Consumer<Report> running();

    /** The recorder of this process. */
    static EventRecorder recorder() {
        return Found.RECORDER;
    }

    /** Holds the recorder of this process, which is made when it is first needed. */
    final class Found {
        private static final EventRecorder RECORDER = find();

        private Found() {}

        private static EventRecorder find() {
            try {
                Class.forName("jdk.jfr.Event", false, Found.class.getClassLoader());
                return new FlightEvents();
            } catch (ClassNotFoundException e) {
                return new Silent();
            }
        }
    }

    /** Records nothing. */
    record Silent() implements EventRecorder {
        @Override
        public Consumer<Plan> compiling() {
            return _ -> {};
        }

        @Override
        public Consumer<Plan> planning(String strategy) {
            return _ -> {};
        }

        @Override
        public Consumer<Report> running() {
            return _ -> {};
        }
    }
}
