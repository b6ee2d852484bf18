package dev.ebb.cuda;

/** A call of a CUDA library that failed, or a library that is not there. */
public final class CudaException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CudaException(String message) {
        super(message);
    }

    public CudaException(String message, Throwable cause) {
        super(message, cause);
    }
}
