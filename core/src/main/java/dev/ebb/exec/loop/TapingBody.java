package dev.ebb.exec.loop;

import dev.ebb.ir.Buffer;

import java.util.List;

/**
 * A loop's body that writes a tape: the carries at the start of the round that its reverse reads,
 * then the results after the first {@code plain}.
 */
record TapingBody(LoopBody rounds, List<Buffer> carries, int plain) {

    void run(List<Buffer> stacks, long place, CheckpointPool pool, long offset) {
        rounds.feed(stacks, 0, place);
        long rest = pool.write(carries, offset);
        rounds.run();
        var given = rounds.given();
        pool.write(given.subList(plain, given.size()), rest);
    }

    /** What the latest round gave beside carries and tape. */
    List<Buffer> given() {
        return rounds.given().subList(0, plain);
    }
}
