package dev.ebb.pass;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Control;
import dev.ebb.ir.Control.Checkpointing;
import dev.ebb.ir.DType;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Shape;
import dev.ebb.ir.Trait;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The reverse of a loop whose iterations can be inverted, without checkpoints: it starts from the
 * loop's last carries, and each of its iterations inverts a forward iteration and then computes its
 * derivative. Loop and reverse become one loop with the carries of both. The restored carries have
 * the bits of the forward iteration, so the gradient has the same bits as with any other method. At
 * the end the first carries must be restored; if they are not, the declared inverse is wrong and
 * the run stops.
 */
final class InvertedLoop {
    private final LoopAndReverse pair;
    private final Control.Scan ahead;
    private final Control.Scan back;
    private final Graph undo;
    private final List<Value> rebuilt = new ArrayList<>();
    private final Value checked;

    /** New values are numbered from {@code next}. */
    InvertedLoop(LoopAndReverse pair, int next) {
        this.pair = pair;
        ahead = pair.forwardScan();
        back = pair.reverse();
        undo = ahead.undo().orElseThrow();
        int id = next;
        for (Value first : firstCarries()) rebuilt.add(new Value(id++, first.type()));
        checked = new Value(id, new Type(DType.U8, Shape.of(1)));
    }

    /** The number of new values. */
    int values() {
        return rebuilt.size() + 1;
    }

    private List<Value> firstCarries() {
        return pair.forwardInputs().subList(ahead.constants(), ahead.constants() + ahead.carries());
    }

    /** The forward loop, which keeps only its last carries. */
    Node forward() {
        return Lowered.of(
                pair.forward(),
                ahead.withCheckpointing(new Checkpointing.Nothing()).withoutInverse(),
                pair.forward().inputs(),
                pair.forwardResults(),
                pair.forward().op().traits());
    }

    /** The operands in the order of {@link #iteration}'s parameters. */
    Node backward() {
        var inputs = new ArrayList<Value>();
        inputs.addAll(pair.forwardInputs().subList(0, ahead.constants()));
        inputs.addAll(pair.reverseInputs().subList(0, back.constants()));
        inputs.addAll(pair.forwardResults().subList(0, ahead.carries()));
        int first = back.constants() + back.carries();
        inputs.addAll(pair.reverseInputs().subList(back.constants(), first));
        inputs.addAll(
                pair.forwardInputs()
                        .subList(ahead.constants() + ahead.carries(), pair.forwardInputs().size()));
        inputs.addAll(
                pair.reverseInputs().subList(first + ahead.carries(), pair.reverseInputs().size()));
        var outputs = new ArrayList<>(rebuilt);
        outputs.addAll(pair.backward().outputs());
        var kernel =
                new Control.Scan(
                        iteration(),
                        back.times(),
                        ahead.constants() + back.constants(),
                        ahead.carries() + back.carries(),
                        back.reverse(),
                        false,
                        new Checkpointing.Nothing(),
                        back.costs(),
                        Optional.empty());
        var node = pair.backward();
        var op =
                new Lowered(
                        node.op().name() + " undoing",
                        kernel,
                        outputs.stream().map(Value::type).toList(),
                        Set.of(),
                        List.of());
        return node.with(op, inputs, outputs);
    }

    private Graph iteration() {
        var g = new Graph.Builder();
        var constants = params(g, undo, 0, ahead.constants());
        var backConstants = params(g, back.body(), 0, back.constants());
        int firstSlice = ahead.constants() + ahead.carries();
        var after = params(g, undo, ahead.constants(), firstSlice);
        int first = back.constants() + back.carries();
        var cotangents = params(g, back.body(), back.constants(), first);
        var slices = params(g, undo, firstSlice, undo.params().size());
        var backSlices =
                params(g, back.body(), first + ahead.carries(), back.body().params().size());

        var undone = new ArrayList<>(constants);
        undone.addAll(after);
        undone.addAll(slices);
        var there = g.inline(undo, undone);
        var before = undo.results().stream().map(there::at).toList();

        var reversed = new ArrayList<>(backConstants);
        reversed.addAll(cotangents);
        reversed.addAll(before);
        reversed.addAll(backSlices);
        var here = g.inline(back.body(), reversed);
        var results = new ArrayList<>(before);
        back.body().results().forEach(r -> results.add(here.at(r)));
        return g.build(results);
    }

    private static List<Value> params(Graph.Builder g, Graph of, int from, int to) {
        return of.params().subList(from, to).stream().map(p -> g.param(p.type())).toList();
    }

    /** Checks that the restored carries are those with which the loop began. */
    Node check() {
        var inputs = new ArrayList<>(rebuilt);
        inputs.addAll(firstCarries());
        var region = pair.forward().region();
        var loop = pair.forward().op().name() + (region.isTop() ? "" : " in " + region);
        var op =
                new Lowered(
                        "check_inverse",
                        new InverseCheck(loop),
                        List.of(checked.type()),
                        Set.of(Trait.EFFECT),
                        List.of());
        return new Node(op, inputs, List.of(checked), region, true);
    }

    /** Checks that the first half of the inputs has the same bits as the second half. */
    private record InverseCheck(String loop) implements Kernel.Library {
        @Override
        public long workspaceBytes() {
            return 0;
        }

        @Override
        public void run(List<Buffer> inputs, List<Buffer> outputs, Buffer workspace) {
            int carries = inputs.size() / 2;
            for (int i = 0; i < carries; i++) {
                var found = inputs.get(i).segment();
                if (found.mismatch(inputs.get(carries + i).segment()) >= 0) {
                    throw new IllegalStateException(
                            ("the inverse of %s did not restore the state before the loop: carry %s"
                                 + " has different bits; an inverse must restore every bit, as"
                                 + " Grid.sub does after Grid.add")
                                    .formatted(loop, i));
                }
            }
            outputs.getFirst().setLong(0, 1);
        }
    }
}
