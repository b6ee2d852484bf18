package dev.ebb.nn.parallel;

import java.lang.foreign.MemorySegment;

/**
 * Ranks that compute together, seen from one of them. Between two ranks messages arrive in the
 * order in which they were sent: the n-th {@link #receive} from a rank takes its n-th {@link #send}
 * to here. No call waits for ever: a peer that does not answer within the group's patience is a
 * {@link PeerException} with its name.
 *
 * <p>What an implementation prints about itself must be the same on every rank.
 */
public interface Group extends AutoCloseable {

    /** The number of this rank, from zero on. */
    int rank();

    /** How many ranks there are. */
    int size();

    /** Where this rank's exchanges run, one after the other. */
    Lane lane();

    /** What exchanges take, for plans: the same on every rank. */
    default LinkCost linkCost() {
        return LinkCost.TYPICAL;
    }

    /** Sends bytes, which must stay as they are until the transfer is done. */
    Transfer send(int to, MemorySegment data);

    /** Takes as many bytes as {@code into} has. */
    Transfer receive(int from, MemorySegment into);

    /**
     * Ends what is under way: afterwards no memory that was handed to a transfer is read or written
     * any more. A group of which a transfer failed, or was not waited for, is left: its peers would
     * no longer agree on which message is which.
     */
    void settle();

    /** Leaves the group; peers that wait for this rank are told. */
    @Override
    void close();

    /** A message on its way. */
    interface Transfer {
        /** Returns when the bytes are sent, or received. */
        void await();
    }
}
