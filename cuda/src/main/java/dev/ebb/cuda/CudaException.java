package dev.ebb.cuda;

/** A call of a CUDA library failed, or a library is missing. */
public final class CudaException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CudaException(String message) {
        super(message);
    }

    public CudaException(String message, Throwable cause) {
        super(message, cause);
    }
}
