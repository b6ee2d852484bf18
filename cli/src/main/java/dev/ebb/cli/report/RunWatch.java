package dev.ebb.cli.report;

/** Receives the events of a training run, and can ask it to stop. */
public interface RunWatch {

    /** The facts known before the first step. */
    record Begin(long made, long steps, int tokens, long promisedBytes, long budgetBytes) {}

    /** The figures of one step. */
    record Made(long step, double loss, double seconds, long measuredBytes) {}

    /** A watch that ignores all events and never asks for a stop. */
    RunWatch NONE =
            new RunWatch() {
                @Override
                public void begins(Begin begin) {}

                @Override
                public void made(Made step) {}

                @Override
                public void saved(long step) {}

                @Override
                public void ends(RunFigures outcome, boolean stopped) {}

                @Override
                public boolean isStopAsked() {
                    return false;
                }
            };

    void begins(Begin begin);

    void made(Made step);

    /** The checkpoint of this step was written to the disk. */
    void saved(long step);

    void ends(RunFigures outcome, boolean stopped);

    /** Whether the run should stop; called between two steps. */
    boolean isStopAsked();
}
