package dev.ebb.nn.parallel;

import java.lang.foreign.MemorySegment;

/**
 * A group of ranks that compute together, as seen by one of them. Between two ranks messages arrive
 * in the order in which they were sent: the n-th {@link #receive} from a rank gets its n-th {@link
 * #send} to this rank. No call waits forever: if a peer does not answer within the group's time
 * limit, a {@link PeerException} names it.
 *
 * <p>The text form of an implementation must be the same on every rank.
 */
public interface Group extends AutoCloseable {

    /** The number of this rank, from zero on. */
    int rank();

    /** The number of ranks. */
    int size();

    /** The queue on which this rank's exchanges run, one after the other. */
    ExchangeQueue queue();

    /** The cost of communication for the planner: the same on every rank. */
    default LinkCost linkCost() {
        return LinkCost.TYPICAL;
    }

    /** Sends bytes, which must not change until the transfer is done. */
    Transfer send(int to, MemorySegment data);

    /** Receives as many bytes as {@code into} has. */
    Transfer receive(int from, MemorySegment into);

    /**
     * Ends all transfers: afterwards no memory given to a transfer is accessed any more. If a
     * transfer failed, or was not waited for, this also leaves the group, because its peers would
     * no longer agree on the numbering of messages.
     */
    void settle();

    /** Leaves the group; peers that wait for this rank get an exception. */
    @Override
    void close();

    /** A message being sent or received. */
    interface Transfer {
        /** Returns when the bytes are sent, or received. */
        void await();
    }
}
