package dev.ebb.exec.transfer;

/** A transfer of a block from or to memory. Created once, started in every run. */
interface Transfer {
    /** Starts the transfer and returns at once. */
    void start();

    /** Waits so that work of the caller after this call finds the bytes transferred. */
    void await();
}
