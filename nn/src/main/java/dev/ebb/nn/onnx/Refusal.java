package dev.ebb.nn.onnx;

/** A node is not implemented or does not fit its inputs; the message gives its position. */
final class Refusal extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    Refusal(String message, Throwable cause) {
        super(message, cause);
    }

    Refusal(String message) {
        super(message);
    }
}
