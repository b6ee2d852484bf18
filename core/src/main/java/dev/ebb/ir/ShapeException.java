package dev.ebb.ir;

/**
 * Operands whose shapes or element types do not fit; the message says which, why, and what would.
 */
public final class ShapeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    public ShapeException(String message) {
        super(message);
    }

    public ShapeException(String message, Throwable cause) {
        super(message, cause);
    }
}
