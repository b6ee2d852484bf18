package dev.ebb.exec.transfer;

/** A block on its way from or to memory. Made once, started in every run. */
interface Transfer {
    /** Begins; returns at once. */
    void start();

    /** Whatever the caller does next finds the bytes where they should be. */
    void await();
}
