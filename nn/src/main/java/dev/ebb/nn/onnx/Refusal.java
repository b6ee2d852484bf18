package dev.ebb.nn.onnx;

/** What a node asks for and is not implemented, or does not fit its inputs, with its place. */
final class Refusal extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    Refusal(String message, Throwable cause) {
        super(message, cause);
    }

    Refusal(String message) {
        super(message);
    }
}
