package dev.ebb.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Region;
import dev.ebb.ir.Scalar;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;
import dev.ebb.ir.View;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

class EarlyStartTest {
    private static final Type TYPE = new Type(DType.F32, Shape.of(4));

    /** Something that reads and writes four numbers. */
    private record Step(String name, boolean light, Set<Trait> traits) implements Op {
        @Override
        public List<Type> infer(List<Type> in) {
            return List.of(TYPE);
        }

        @Override
        public Kernel kernel(List<Type> in) {
            if (light)
                return Kernel.Map.of(TYPE.shape(), List.of(View.contiguous(TYPE.shape())), arg());
            return new Kernel.Library() {
                @Override
                public long workspaceBytes() {
                    return 0;
                }

                @Override
                public void run(List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {}
            };
        }

        private static Scalar arg() {
            return new Scalar.Arg(0);
        }

        @Override
        public void pullback(Node node, Adjoints adjoints) {
            throw new UnsupportedOperationException();
        }
    }

    private final List<Node> nodes = new ArrayList<>();
    private final Value x = new Value(0, TYPE);

    private Value add(String name, boolean light, Set<Trait> traits, Value in) {
        var out = new Value(nodes.size() + 1, TYPE);
        nodes.add(
                new Node(
                        new Step(name, light, traits),
                        List.of(in),
                        List.of(out),
                        Region.TOP,
                        false));
        return out;
    }

    private String order(Value result) {
        var graph = new Graph(List.of(x), nodes, List.of(result));
        return String.join(
                " ", EarlyStart.of(graph).nodes().stream().map(n -> n.op().name()).toList());
    }

    @Test
    void what_goes_on_beside_begins_as_soon_as_what_it_reads_is_there() {
        var beside = Set.of(Trait.EFFECT, Trait.BESIDE);
        var effect = Set.of(Trait.EFFECT);
        var a = add("product1", false, Set.of(), x);
        var b = add("product2", false, Set.of(), a);
        add("product3", false, Set.of(), b);
        var moved = add("moved1", true, Set.of(), a);
        var end = add("end1", false, effect, add("begin1", true, beside, moved));
        var other = add("begin2", true, beside, add("moved2", true, Set.of(), b));
        add("end2", false, effect, other);
        assertThat(order(end))
                .isEqualTo("product1 moved1 begin1 product2 moved2 end1 begin2 product3 end2");
    }

    @Test
    void all_else_stays_as_it_is() {
        var a = add("product1", false, Set.of(), x);
        add("moved1", true, Set.of(), x);
        assertThat(order(a)).isEqualTo("product1 moved1");
    }
}
