package dev.ebb.exec;

import dev.ebb.ir.Buffer;

import java.util.List;

/**
 * Rounds that leave a tape: of the carries they begin with those that their reverse reads, then
 * what they give beyond their first {@code plain} results.
 */
record Taped(Rounds rounds, List<Buffer> carries, int plain) {

    void run(List<Buffer> stacks, long place, Pool pool, long offset) {
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
