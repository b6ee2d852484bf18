package dev.ebb.nn.onnx.export;

/** What a recorded op computes and ONNX cannot say. */
public final class NotExportableException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    NotExportableException(String message) {
        super(message);
    }
}
