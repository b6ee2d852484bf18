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

    /** How many ranks there are: a power of two. */
    int size();

    /** Sends bytes, which must stay as they are until the transfer is done. */
    Transfer send(int to, MemorySegment data);

    /** Takes as many bytes as {@code into} has. */
    Transfer receive(int from, MemorySegment into);

    /** Leaves the group; peers that wait for this rank are told. */
    @Override
    void close();

    /** A message on its way. */
    interface Transfer {
        /** Returns when the bytes are sent, or received. */
        void await();
    }

    /** That a number of ranks is one that sums in tree order can be shared by. */
    static int requireSize(int size) {
        if (size < 1 || Integer.bitCount(size) != 1) {
            throw new IllegalArgumentException(
                    size
                            + " ranks; sums in the order of a fixed tree are shared by 1, 2, 4, 8"
                            + " or another power of two");
        }
        return size;
    }
}
