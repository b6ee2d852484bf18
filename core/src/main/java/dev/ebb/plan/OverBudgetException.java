package dev.ebb.plan;

/** The program does not fit in the budget. Names the smallest budget that works, and why. */
public final class OverBudgetException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;
    private final long leastBytes;

    public OverBudgetException(String message, long leastBytes) {
        super(message);
        this.leastBytes = leastBytes;
    }

    /** The least budget in bytes with which this planner would have succeeded. */
    public long leastBytes() {
        return leastBytes;
    }
}
