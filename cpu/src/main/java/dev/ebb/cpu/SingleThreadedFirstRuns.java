package dev.ebb.cpu;

import dev.ebb.cpu.work.WorkerGroup;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.plan.Threads;
import dev.ebb.plan.cost.Roofline;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs each kernel on its calling thread alone the first time, if there are two processors. The JIT
 * has not yet compiled the first kernels of a program, and Vector API code takes a hundred times
 * longer until it has. A second worker would do little of the work, and take half of the processor
 * on which the JIT compiles: in the benchmark {@code Start}, the first step of a small GPT then
 * ends a tenth later.
 *
 * <p>A kernel that takes long even when compiled is shared among workers from the start, as are all
 * kernels of a device whose number of threads the user has set. {@code Library} kernels are always
 * shared: the workers serve one caller at a time, and such a kernel may wait for another program of
 * the device, as the ranks of a cluster wait for each other. Only the first kernels of a device
 * count, as a tape binds new ones all the time.
 */
final class SingleThreadedFirstRuns {
    /**
     * The predicted seconds of the largest kernel whose first run uses the calling thread alone.
     */
    private static final double LARGEST = 0.01;

    /** With more processors, the JIT compilers have one for themselves. */
    private static final int PROCESSORS = 2;

    private static final int KERNELS = 1000;

    private static final Roofline TYPICAL = Roofline.typical();

    private final AtomicInteger left;

    SingleThreadedFirstRuns(Threads threads) {
        boolean pays = !threads.asked() && threads.count() == PROCESSORS;
        left = new AtomicInteger(pays ? KERNELS : 0);
    }

    /** The kernel of {@code node}, with a first run on the calling thread alone if that pays. */
    Runnable of(Node node, Runnable kernel, WorkerGroup workers) {
        if (node.kernel() instanceof Kernel.Library) return kernel;
        boolean small = left.get() > 0 && TYPICAL.of(node) <= LARGEST;
        return small && left.getAndDecrement() > 0 ? new FirstRun(kernel, workers) : kernel;
    }

    private static final class FirstRun implements Runnable {
        private final Runnable kernel;
        private final WorkerGroup workers;
        private boolean done;

        FirstRun(Runnable kernel, WorkerGroup workers) {
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
