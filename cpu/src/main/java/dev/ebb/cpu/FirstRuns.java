package dev.ebb.cpu;

import dev.ebb.cpu.work.Crew;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.plan.Threads;
import dev.ebb.plan.cost.Roofline;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Leaves the first run of a kernel to its caller alone, where there are two processors. The JIT has
 * not yet compiled the first kernels of a program, and Vector API code takes a hundred times longer
 * until it has. A second worker would do little of the work, and take half of the processor that
 * compiles: with it, {@code Start} measures the first step of a small GPT a tenth later.
 *
 * <p>A kernel that takes long even when compiled is shared from the start, as is every one of a
 * device whose number of threads was asked for. {@code Library} kernels are never left alone: the
 * workers serve one caller at a time, and such a kernel may wait for another program of the device,
 * as the ranks of a cluster wait for each other. Only the first kernels of a device count, as a
 * tape binds new ones all the time.
 */
final class FirstRuns {
    /** The predicted seconds of the largest kernel whose first run is its caller's. */
    private static final double LARGEST = 0.01;

    /** More processors have room for the compilers beside the workers. */
    private static final int PROCESSORS = 2;

    private static final int KERNELS = 1000;

    private static final Roofline TYPICAL = Roofline.typical();

    private final AtomicInteger left;

    FirstRuns(Threads threads) {
        boolean pays = !threads.asked() && threads.count() == PROCESSORS;
        left = new AtomicInteger(pays ? KERNELS : 0);
    }

    /** The kernel of {@code node}, its first run left to its caller where that pays. */
    Runnable of(Node node, Runnable kernel, Crew workers) {
        if (node.kernel() instanceof Kernel.Library) return kernel;
        boolean small = left.get() > 0 && TYPICAL.of(node) <= LARGEST;
        return small && left.getAndDecrement() > 0 ? new FirstRun(kernel, workers) : kernel;
    }

    private static final class FirstRun implements Runnable {
        private final Runnable kernel;
        private final Crew workers;
        private boolean done;

        FirstRun(Runnable kernel, Crew workers) {
            this.kernel = kernel;
            this.workers = workers;
        }

        @Override
        public void run() {
            if (done) {
                kernel.run();
                return;
            }
            done = true;
            workers.alone(kernel);
        }
    }
}
