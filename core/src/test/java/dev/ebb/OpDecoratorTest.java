package dev.ebb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Control;
import dev.ebb.ir.Op;
import dev.ebb.ir.OpDecorator;
import dev.ebb.plan.Budget;
import dev.ebb.plan.Keep;
import dev.ebb.plan.Policy;
import dev.ebb.plan.schedule.Step;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What is known of an op is known of it under a name, and with workspace. */
class OpDecoratorTest {

    private static List<Class<?>> classes() throws IOException, URISyntaxException {
        var root = Path.of(Op.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        var found = new ArrayList<Class<?>>();
        try (var files = Files.walk(root)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                var name = root.relativize(file).toString().replace('/', '.');
                if (!name.startsWith("dev.ebb.")) continue;
                found.add(load(name.substring(0, name.length() - ".class".length())));
            }
        }
        return found;
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, Op.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String signature(Method m) {
        return m.getName() + Arrays.toString(m.getParameterTypes());
    }

    @Test
    void everyMethodIsPassedOn() {
        var passedOn =
                Arrays.stream(OpDecorator.class.getDeclaredMethods())
                        .map(OpDecoratorTest::signature)
                        .collect(Collectors.toSet());
        for (Method m : Op.class.getDeclaredMethods()) {
            if (!Modifier.isStatic(m.getModifiers()) && !m.isSynthetic())
                assertThat(passedOn).contains(signature(m));
        }
    }

    @Test
    void whateverWrapsAnOpIsADecorator() throws Exception {
        var wrappers =
                classes().stream()
                        .filter(c -> Op.class.isAssignableFrom(c) && !c.isInterface())
                        .filter(
                                c ->
                                        Arrays.stream(c.getDeclaredFields())
                                                .anyMatch(
                                                        f ->
                                                                Op.class.isAssignableFrom(
                                                                        f.getType())))
                        .toList();
        assertThat(wrappers).hasSizeGreaterThanOrEqualTo(2);
        assertThat(wrappers).allMatch(OpDecorator.class::isAssignableFrom);
    }

    private static Tensor loss(ReversibleTest.Net net, boolean naming) {
        var x = Reversible.Streams.of(net.x());
        var blocks = net.blocks();
        for (int i = 0; i < blocks.size(); i++) {
            x = blocks.get(i).apply(x);
            if (naming)
                x =
                        new Reversible.Streams(
                                Ebb.name(x.first(), "first " + i),
                                Ebb.name(x.second(), "second " + i));
        }
        return x.sum().square().mean();
    }

    private static Fn<ReversibleTest.Net, Ebb.ValueAndGrad<ReversibleTest.Net>> gradient(
            boolean naming) {
        return Ebb.valueAndGrad(n -> loss(n, naming));
    }

    private static long inverted(dev.ebb.plan.Plan plan) {
        return plan.schedule().steps().stream().filter(s -> s instanceof Step.Invert).count();
    }

    /** At the least budget named streams are rebuilt as unnamed ones are, in the same bytes. */
    @Test
    void namedStreamsAreRebuilt() {
        var net = ReversibleTest.Net.of(4, 5);
        try (var plain = Ebb.compile(gradient(false));
                var named = Ebb.compile(gradient(true))) {
            long least = plain.plan(net).leastBytes();
            assertThat(named.plan(net).leastBytes()).isEqualTo(least);
            try (var tight = Ebb.compile(gradient(true)).within(Budget.bytes(least));
                    var unnamed = Ebb.compile(gradient(false)).within(Budget.bytes(least))) {
                assertThat(inverted(tight.plan(net)))
                        .isEqualTo(inverted(unnamed.plan(net)))
                        .isPositive();
                ReversibleTest.sameBits(tight.apply(net), plain.apply(net), "named");
            }
        }
    }

    /** A loop whose result has a name answers to it, whatever room it was given. */
    @Test
    void aLoopKeepsItsName() {
        Fn<Tensor, Tensor> f =
                x -> Ebb.name(Loop.repeat(6, x, Tensor::sin), "rounds").square().sum();
        try (var compiled =
                Ebb.compile(Ebb.grad(f)).with(new Keep(Policy.names("rounds").or(_ -> false)))) {
            var nodes =
                    compiled.plan(Array.of(0.1, 0.2)).schedule().problem().graph().nodes().stream()
                            .filter(n -> !n.reverse() && n.kernel() instanceof Control)
                            .toList();
            assertThat(nodes).isNotEmpty();
            assertThat(nodes).allMatch(n -> n.op().labels().contains("rounds"));
        }
    }
}
