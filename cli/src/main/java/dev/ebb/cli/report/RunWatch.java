package dev.ebb.cli.report;

/** Somebody who looks on while a run trains, and may ask it to stop. */
public interface RunWatch {

    /** What is known before the first step. */
    record Begin(long made, long steps, int tokens, long promisedBytes, long budgetBytes) {}

    /** One step's figures. */
    record Made(long step, double loss, double seconds, long measuredBytes) {}

    /** Nobody. */
    RunWatch NONE =
            new RunWatch() {
                @Override
                public void begins(Begin begin) {}

                @Override
                public void made(Made step) {}

                @Override
                public void saved(long step) {}

                @Override
                public void ends(Outcome outcome, boolean stopped) {}

                @Override
                public boolean isStopAsked() {
                    return false;
                }
            };

    void begins(Begin begin);

    void made(Made step);

    /** The checkpoint of this step is on disk. */
    void saved(long step);

    void ends(Outcome outcome, boolean stopped);

    /** Asked between two steps. */
    boolean isStopAsked();
}
