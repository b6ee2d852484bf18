package dev.ebb.ir;

/**
 * Operands whose shapes or element types do not fit; the message names them, the reason, and shapes
 * or types that would fit.
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
