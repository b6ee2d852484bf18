package dev.ebb.cuda;

import dev.ebb.cuda.driver.Gemm;
import dev.ebb.cuda.recipe.Action;

import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/** What a queue asks of a card. */
interface Board {

    /** To be called by every thread before it asks for anything else. */
    void enter();

    Streams streams();

    /** What the card is, in one line. */
    String describe();

    /** The kind of card and of its libraries: what decides its speed and its bits. */
    String signature();

    /** Bytes of the card's memory that were in use when its context had been made. */
    long usedBytes();

    /** Compiles these kernels, as far as they are not known yet, all together. */
    void compile(Collection<Action.Launch> launches);

    /** A launch with its arguments: running it puts it onto the stream. */
    Runnable launch(Action.Launch launch, List<Long> arguments, long stream);

    /**
     * A product by the library: running it puts it onto the stream.
     *
     * @param bias where the product's bias lies, if it has one
     */
    Runnable product(
            Gemm gemm, long a, long b, long c, OptionalLong bias, long workspace, long stream);
}
