package dev.ebb.exec.transfer;

/** A transfer of a block from or to memory. Created once, started in every run. */
interface Transfer {
    /** Begins; returns at once. */
    void start();

    /** Whatever the caller does next finds the bytes where they should be. */
    void await();
}
