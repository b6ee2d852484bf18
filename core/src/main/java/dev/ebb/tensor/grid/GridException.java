package dev.ebb.tensor.grid;

/** A value that a {@link Grid} cannot hold, found where it enters. */
public final class GridException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    GridException(String message) {
        super(message);
    }
}
