package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.plan.Budget;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.trace.Tree;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What arguments, results, states and carries may be made of, everywhere they are given. */
class TreeTest {
    private static final Array A = Array.of(1.0, 2.0);
    private static final Array B = Array.of(3.0, 5.0);
    private static final Array C = Array.of(-1.0, 4.0);

    enum Kind {
        SMALL,
        LARGE
    }

    enum Hiding {
        ONE;

        @SuppressWarnings("ImmutableEnumChecker") // what the test is about
        final Tensor tensor = A;
    }

    record Two(Tensor a, Tensor b) {}

    record Mixed(Tensor a, double rate, String name, Kind kind, boolean on, int[] sizes, Two two) {}

    record Doing(Tensor a, Fn<Tensor, Tensor> f, Tensor b) {}

    record Of(Tensor a, Object other, Tensor b) {}

    record Tight(Array a, Tensor b) {}

    /**
     * As Kotlin compiles {@code data class Layer(val weight: Tensor, val bias: Tensor, n: Int)}.
     */
    static final class Layer {
        private final Tensor weight;
        private final Tensor bias;
        private final int n;

        Layer(Tensor weight, Tensor bias, int n) {
            this.weight = weight;
            this.bias = bias;
            this.n = n;
        }

        public Tensor component1() {
            return weight;
        }

        public Tensor component2() {
            return bias;
        }

        public int component3() {
            return n;
        }
    }

    /** A data class with a property that no constructor takes. */
    static final class Lazy {
        private final Tensor weight;
        Tensor late = B;

        Lazy(Tensor weight) {
            this.weight = weight;
        }

        public Tensor component1() {
            return weight;
        }
    }

    static final class Plain {
        final Tensor a;
        final Tensor b;

        Plain(Tensor a, Tensor b) {
            this.a = a;
            this.b = b;
        }
    }

    /** No tensors, but something that may change. */
    static final class Counter {
        int count;
    }

    static final class Stateless {}

    private static Map<String, Object> accepted() {
        var all = new LinkedHashMap<String, Object>();
        all.put("record", new Two(A, B));
        all.put("list", List.of(A, B));
        all.put("array list", new ArrayList<>(List.of(A, B)));
        all.put("map", new LinkedHashMap<>(Map.of("only", new Two(A, B))));
        all.put("hash map", new HashMap<>(Map.of("b", A, "c", B)));
        all.put("map of enums", Map.of(Kind.LARGE, B, Kind.SMALL, A));
        all.put("tree map", new TreeMap<>(Map.of("b", A, "c", B)));
        all.put("optional", List.of(A, Optional.of(B), Optional.empty()));
        all.put("array of tensors", new Tensor[] {A, B});
        all.put("nested arrays", new Tensor[][] {{A}, {B}});
        all.put("array of records", new Two[] {new Two(A, B)});
        all.put("data class", new Layer(A, B, 3));
        all.put("list of data classes", List.of(new Layer(A, B, 3)));
        all.put(
                "mixed record",
                new Mixed(A, 0.5, "x", Kind.SMALL, true, new int[] {1}, new Two(B, C)));
        all.put("lambda that captures nothing", new Doing(A, Tensor::sin, B));
        double factor = 2;
        all.put("lambda that captures a number", new Doing(A, x -> x.mul(factor), B));
        all.put("object without fields", new Of(A, new Stateless(), B));
        return all;
    }

    private static Map<String, Object> refused() {
        var all = new LinkedHashMap<String, Object>();
        Tensor own = Array.of(7.0, 8.0);
        all.put("plain class", new Plain(A, B));
        all.put("plain class in a record", new Of(A, new Plain(A, B), B));
        all.put("plain class in an array", new Plain[] {new Plain(A, B)});
        all.put("data class with a hidden field", new Lazy(A));
        all.put("class that may change", new Of(A, new Counter(), B));
        all.put("lambda that captures a tensor", new Doing(A, x -> x.mul(own), B));
        all.put("set", Set.of(A));
        all.put("deque", new ArrayDeque<>(List.of(A)));
        all.put("supplier", new Of(A, (Supplier<Tensor>) () -> own, B));
        all.put("atomic", new Of(A, new AtomicInteger(), B));
        all.put("null", new Of(A, null, B));
        all.put("null in a list", Arrays.asList(A, null));
        all.put("enum with a tensor", new Of(A, Hiding.ONE, B));
        all.put("map with tensors as keys", new LinkedHashMap<>(Map.of(A, B)));
        return all;
    }

    /** The sum of all tensors, each weighted by its place, squared. */
    private static Tensor loss(Object tree) {
        Tensor sum = Array.scalar(0.0);
        var leaves = Tree.flatten(tree);
        for (int i = 0; i < leaves.size(); i++)
            sum = sum.add(leaves.get(i).mul(i + 1.0).square().sum());
        return sum;
    }

    private static Object twice(Object tree) {
        return Tree.unflatten(tree, Tree.flatten(tree).stream().map(t -> t.mul(2)).toList());
    }

    /** Everything that takes a tree, by name. */
    private static Map<String, Fn<Object, Object>> takers() {
        var all = new LinkedHashMap<String, Fn<Object, Object>>();
        all.put("grad", p -> Ebb.grad(TreeTest::loss).apply(p));
        all.put("grad, compiled", p -> compiled(Ebb.grad(TreeTest::loss), p));
        all.put("compile", p -> compiled(TreeTest::twice, p));
        all.put("jvp", p -> Ebb.jvp(TreeTest::twice).apply(p, p).tangent());
        all.put("vjp", p -> Ebb.vjp(TreeTest::twice).apply(p, p).cotangent());
        all.put(
                "stepper",
                p -> {
                    try (var s = stepper(p)) {
                        s.step(A);
                        return s.state();
                    }
                });
        all.put("repeat", p -> Loop.repeat(1, p, TreeTest::twice));
        all.put(
                "while",
                p ->
                        Loop.whileTrue(
                                1,
                                new Object[] {Array.scalar(0.0), p},
                                c -> ((Tensor) c[0]).lt(0.5),
                                c -> new Object[] {((Tensor) c[0]).add(1), twice(c[1])})[1]);
        all.put(
                "cond",
                p -> Loop.cond(Array.scalar(1.0).gt(0), () -> twice(p), () -> twice(twice(p))));
        all.put(
                "tape",
                p -> {
                    try (var tape = new Tape(Budget.mebibytes(8))) {
                        var watched = tape.watch(p);
                        return tape.arrays(tape.gradient(loss(watched), watched));
                    }
                });
        return all;
    }

    private static Object compiled(Fn<Object, Object> f, Object p) {
        try (var c = Ebb.compile(f)) {
            return c.apply(p);
        }
    }

    private static Stepper<Object, Tensor, Tensor> stepper(Object p) {
        Fn2<Object, Tensor, Next<Object, Tensor>> step = (s, x) -> new Next<>(twice(s), x);
        return Ebb.stepper(step).within(Budget.mebibytes(64)).start(p, A);
    }

    @TestFactory
    Stream<DynamicTest> everyTakerTakesWhatIsAccepted() {
        return takers().entrySet().stream()
                .flatMap(
                        taker ->
                                accepted().entrySet().stream()
                                        .map(
                                                a ->
                                                        DynamicTest.dynamicTest(
                                                                taker.getKey() + ": " + a.getKey(),
                                                                () ->
                                                                        takes(
                                                                                taker.getKey(),
                                                                                taker.getValue(),
                                                                                a.getValue()))));
    }

    private static void takes(String taker, Fn<Object, Object> f, Object tree) {
        var found = Tree.flatten(f.apply(tree));
        var given = Tree.flatten(tree);
        assertThat(found).hasSameSizeAs(given);
        boolean gradient = taker.startsWith("grad") || taker.equals("tape");
        for (int i = 0; i < found.size(); i++) {
            double scale = gradient ? 2 * (i + 1.0) * (i + 1.0) : 2;
            for (int j = 0; j < 2; j++)
                assertThat(((Array) found.get(i)).data().get(j))
                        .as("%s, tensor %s", taker, i)
                        .isEqualTo(scale * ((Array) given.get(i)).data().get(j));
        }
    }

    @TestFactory
    Stream<DynamicTest> everyTakerRefusesTheRest() {
        return takers().entrySet().stream()
                .flatMap(
                        taker ->
                                refused().entrySet().stream()
                                        .map(
                                                r ->
                                                        DynamicTest.dynamicTest(
                                                                taker.getKey() + ": " + r.getKey(),
                                                                () ->
                                                                        refuses(
                                                                                taker.getValue(),
                                                                                r.getValue()))));
    }

    private static void refuses(Fn<Object, Object> f, Object tree) {
        assertThatThrownBy(() -> f.apply(tree))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("(?s).*(record|Optional|keys are).*");
    }

    @Test
    void resultsAreHeldToTheSame() {
        assertThatThrownBy(() -> compiled(p -> new Plain((Tensor) p, B), A))
                .hasMessageContaining(Plain.class.getName())
                .hasMessageContaining("Make Plain a record");
        assertThatThrownBy(() -> Ebb.vjp((Tensor x) -> new Plain(x, x)).apply(A, new Plain(A, B)))
                .hasMessageContaining(Plain.class.getName());
        assertThatThrownBy(
                        () ->
                                Ebb.valueGradAndExtra(
                                                (Tensor x) ->
                                                        new Ebb.WithExtra<>(
                                                                x.sum(), new Plain(x, x)))
                                        .apply(A))
                .hasMessageContaining(Plain.class.getName());
        assertThatThrownBy(
                        () ->
                                Loop.scan(
                                        (Tensor) A,
                                        (Tensor) B,
                                        (c, _) -> new Next<>(c, new Plain(c, c))))
                .hasMessageContaining(Plain.class.getName());
    }

    @Test
    void theMessageSaysWhere() {
        assertThatThrownBy(
                        () ->
                                Ebb.grad(TreeTest::loss)
                                        .apply(List.of(A, new Of(A, new Counter(), B))))
                .hasMessageContaining("at 1.other: ")
                .hasMessageContaining(Counter.class.getName());
        assertThatThrownBy(() -> Ebb.grad((Tight t) -> loss(t)).apply(new Tight(A, B)))
                .hasMessageContaining("a of " + Tight.class.getName() + " is declared Array")
                .hasMessageContaining("declare it Tensor");
    }

    @Test
    void namesAreThoseOfTheProperties() {
        assertThat(Tree.names(List.of(new Layer(A, B, 1), new Two[] {new Two(A, B)})))
                .containsExactly("0.weight", "0.bias", "1.0.a", "1.0.b");
    }

    /** The order of an unordered map is that of its keys, whatever their hash codes. */
    @Test
    void unorderedMapsHaveTheOrderOfTheirKeys() {
        assertThat(Tree.names(Map.of("c", A, "a", B, "b", A))).containsExactly("a", "b", "c");
        assertThat(Tree.names(Map.of(Kind.LARGE, A, Kind.SMALL, B)))
                .containsExactly("SMALL", "LARGE");
    }

    /** Arrays of numbers are told apart by what is in them. */
    @Test
    void contentsAreStructure() {
        var one = new Mixed(A, 1, "", Kind.SMALL, true, new int[] {1, 2}, new Two(A, B));
        var same = new Mixed(B, 1, "", Kind.SMALL, true, new int[] {1, 2}, new Two(B, A));
        var other = new Mixed(A, 1, "", Kind.SMALL, true, new int[] {1, 3}, new Two(A, B));
        assertThat(Objects.hash(Tree.signature(one))).isEqualTo(Objects.hash(Tree.signature(same)));
        assertThat(Tree.signature(one)).isEqualTo(Tree.signature(same));
        assertThat(Tree.signature(one)).isNotEqualTo(Tree.signature(other));
    }

    @Test
    void aDirectionHasAsManyTensors() {
        assertThatThrownBy(() -> Ebb.jvp(TreeTest::twice).apply(List.of(A, B), List.of(A)))
                .hasMessageContaining("has 1 tensors where 2 are expected");
    }

    @Test
    void a_function_may_ask_for_the_class_of_its_list() {
        Fn<ArrayList<Tensor>, Tensor> product = l -> l.get(0).mul(l.get(1)).sum();
        Fn<LinkedList<Tensor>, Tensor> first = l -> l.getFirst().square().sum();
        try (var f = Ebb.compile(Ebb.grad(product));
                var g = Ebb.compile(Ebb.grad(first))) {
            for (int twice = 0; twice < 2; twice++) {
                ArrayList<Tensor> both = f.apply(new ArrayList<>(List.of(A, B)));
                assertThat(both.getFirst().toDoubles()).containsExactly(3, 5);
                LinkedList<Tensor> one = g.apply(new LinkedList<>(List.of(A)));
                assertThat(one.getFirst().toDoubles()).containsExactly(2, 4);
            }
        }
    }
}
