package dev.ebb;

import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Selects the part of a function's arguments with respect to which a derivative is taken. {@link
 * #first}, {@link #second} and {@link #both} choose among two arguments, {@code firstOf3}, {@code
 * secondOf3}, {@code thirdOf3} and {@code allOf3} among three. For a part of a record give a getter
 * and a method that replaces it:
 *
 * <pre>{@code
 * Ebb.grad(loss, new By<Net, Tensor>(Net::bias, (net, bias) -> new Net(net.weight(), bias)))
 * }</pre>
 *
 * @param <A> the arguments
 * @param <D> the part
 */
public record By<A, D>(Function<A, D> part, BiFunction<A, D, A> with) {

    /** Two arguments. */
    public record Two<P, Q>(P first, Q second) {}

    /** Three arguments. */
    public record Three<P, Q, S>(P first, Q second, S third) {}

    /** {@code f}, if it is not null. */
    static <F> F given(F f) {
        if (f == null)
            throw new IllegalArgumentException(
                    "the function is null; give a lambda or a method reference");
        return f;
    }

    /** A function of two arguments as one of both together. */
    static <P, Q, R> Fn<Two<P, Q>, R> whole(Fn2<P, Q, R> f) {
        given(f);
        return a -> f.apply(a.first, a.second);
    }

    /** A function of three arguments as one of all together. */
    static <P, Q, S, R> Fn<Three<P, Q, S>, R> whole(Fn3<P, Q, S, R> f) {
        given(f);
        return a -> f.apply(a.first, a.second, a.third);
    }

    /** The first of two arguments. */
    public static <P, Q> By<Two<P, Q>, P> first() {
        return new By<>(Two::first, (a, p) -> new Two<>(p, a.second));
    }

    /** The second of two arguments. */
    public static <P, Q> By<Two<P, Q>, Q> second() {
        return new By<>(Two::second, (a, q) -> new Two<>(a.first, q));
    }

    /** Both of two arguments. */
    public static <P, Q> By<Two<P, Q>, Two<P, Q>> both() {
        return new By<>(Function.identity(), (_, all) -> all);
    }

    /** The first of three arguments. */
    public static <P, Q, S> By<Three<P, Q, S>, P> firstOf3() {
        return new By<>(Three::first, (a, p) -> new Three<>(p, a.second, a.third));
    }

    /** The second of three arguments. */
    public static <P, Q, S> By<Three<P, Q, S>, Q> secondOf3() {
        return new By<>(Three::second, (a, q) -> new Three<>(a.first, q, a.third));
    }

    /** The third of three arguments. */
    public static <P, Q, S> By<Three<P, Q, S>, S> thirdOf3() {
        return new By<>(Three::third, (a, s) -> new Three<>(a.first, a.second, s));
    }

    /** All of three arguments. */
    public static <P, Q, S> By<Three<P, Q, S>, Three<P, Q, S>> allOf3() {
        return new By<>(Function.identity(), (_, all) -> all);
    }
}
