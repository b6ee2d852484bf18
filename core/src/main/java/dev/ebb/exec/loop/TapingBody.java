package dev.ebb.exec.loop;

import dev.ebb.ir.Buffer;

import java.util.List;

/** A loop's body that writes a tape. */
final class TapingBody {
    private final LoopBody rounds;
    private final List<Buffer> carries;
    private final List<Buffer> given;
    private final List<Buffer> taped;

    /**
     * The tape holds the {@code carries} at the start of the round that its reverse reads, then the
     * results after the first {@code plain}.
     */
    TapingBody(LoopBody rounds, List<Buffer> carries, int plain) {
        this.rounds = rounds;
        this.carries = carries;
        given = List.copyOf(rounds.given().subList(0, plain));
        taped = List.copyOf(rounds.given().subList(plain, rounds.given().size()));
    }

    void run(List<Buffer> stacks, long place, CheckpointPool pool, long offset) {
        rounds.feed(stacks, 0, place);
        long rest = pool.write(carries, offset);
        rounds.run();
        pool.write(taped, rest);
    }

    /** The results of the latest round other than carries and tape. */
    List<Buffer> given() {
        return given;
    }
}
