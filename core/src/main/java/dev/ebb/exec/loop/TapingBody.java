package dev.ebb.exec.loop;

import dev.ebb.ir.Buffer;

import java.util.List;

/** A loop's body that writes a tape. */
final class TapingBody {
    private final LoopBody iterations;
    private final List<Buffer> carries;
    private final List<Buffer> results;
    private final List<Buffer> taped;

    /**
     * The tape holds the {@code carries} at the start of the iteration that its reverse reads, then
     * the results after the first {@code plain}.
     */
    TapingBody(LoopBody iterations, List<Buffer> carries, int plain) {
        this.iterations = iterations;
        this.carries = carries;
        results = List.copyOf(iterations.results().subList(0, plain));
        taped = List.copyOf(iterations.results().subList(plain, iterations.results().size()));
    }

    void run(List<Buffer> stacks, long place, CheckpointPool pool, long offset) {
        iterations.feed(stacks, 0, place);
        long rest = pool.write(carries, offset);
        iterations.run();
        pool.write(taped, rest);
    }

    /** The results of the latest iteration other than carries and tape. */
    List<Buffer> results() {
        return results;
    }
}
