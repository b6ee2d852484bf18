package dev.ebb.nn.onnx;

/** A node is not implemented or does not fit its inputs; the message gives its position. */
final class OnnxNodeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    OnnxNodeException(String message, Throwable cause) {
        super(message, cause);
    }

    OnnxNodeException(String message) {
        super(message);
    }
}
