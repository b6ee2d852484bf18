package dev.ebb.exec;

import dev.ebb.plan.Budget;

/**
 * What was put on the disk cannot be had, or could not be put there. Nothing is computed from it.
 */
public final class DiskException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    public DiskException(String what, long bytes, String where, String why, Throwable cause) {
        super(
                what
                        + " ("
                        + Budget.show(bytes)
                        + ") in "
                        + where
                        + ": "
                        + why
                        + "; the run has ended without a result. Free room there, name another"
                        + " folder with withDisk, or leave the disk out",
                cause);
    }
}
