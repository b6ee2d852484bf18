package dev.ebb.exec;

import dev.ebb.plan.Budget;
import dev.ebb.plan.schedule.Place;

/**
 * A value could not be written to a place outside the arena, or could not be read back from it. The
 * run ends; no result is returned.
 */
public final class PlaceException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    public PlaceException(String fault, long bytes, Place place, String reason, Throwable cause) {
        super(
                fault
                        + " ("
                        + Budget.show(bytes)
                        + ") in "
                        + place.name()
                        + ": "
                        + reason
                        + "; the run has ended without a result. Free space there, name another"
                        + " place with Budget.with, or leave this one out",
                cause);
    }
}
