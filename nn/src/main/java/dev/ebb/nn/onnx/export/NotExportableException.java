package dev.ebb.nn.onnx.export;

/** An op that ONNX cannot express. */
public final class NotExportableException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    NotExportableException(String message) {
        super(message);
    }
}
