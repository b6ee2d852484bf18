package dev.ebb.cuda;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ebb.exec.Device;

/** The first GPU, for tests that need one. */
final class OnCard {
    private OnCard() {}

    private static final class First {
        static final Cuda CARD = new Cuda(0);
    }

    /** Skips a test, with a message, unless the tests are run with a GPU. */
    static void require() {
        assumeTrue(
                Boolean.getBoolean("ebb.cuda"),
                "needs an NVIDIA card: on a machine with one, mvn verify -pl cuda -am"
                        + " -Debb.cuda=true runs it");
    }

    static Device device() {
        return First.CARD;
    }
}
