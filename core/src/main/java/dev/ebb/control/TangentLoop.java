package dev.ebb.control;

import dev.ebb.grad.Forward;
import dev.ebb.ir.Fill;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Op;
import dev.ebb.ir.Value;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The forward-mode derivative (JVP) of a loop: a loop with additional constants and slices, the
 * tangents of the constants and slices that have one, and additional carries, the tangents of all
 * float carries.
 */
final class TangentLoop {
    private final ScanOp loop;
    private final List<Value> operands;
    private final Op.Forwarding forwarding;
    private final List<Integer> constants;
    private final List<Integer> carries;
    private final List<Integer> slices;

    /**
     * @param operands the operands of the loop, without the number of iterations
     */
    TangentLoop(ScanOp loop, List<Value> operands, Op.Forwarding forwarding) {
        this.loop = loop;
        this.operands = operands;
        this.forwarding = forwarding;
        int c = loop.constants();
        int n = loop.carries();
        constants = active(0, c);
        carries = IntStream.range(c, c + n).filter(i -> isFloat(operands.get(i))).boxed().toList();
        slices = active(c + n, operands.size());
    }

    private List<Integer> active(int from, int to) {
        return IntStream.range(from, to)
                .filter(i -> forwarding.tangent(operands.get(i)).isPresent())
                .boxed()
                .toList();
    }

    private static boolean isFloat(Value v) {
        return v.type().dtype().isFloat();
    }

    /** Emits the loop. {@code count} holds the number of iterations if that is an operand. */
    void emit(List<Value> count, List<Value> outputs) {
        var body = loop.body();
        int c = loop.constants();
        int n = loop.carries();
        var op =
                new ScanOp(
                        iterations(body, c, n),
                        loop.times(),
                        c + constants.size(),
                        n + carries.size(),
                        loop.reverse(),
                        loop.counted(),
                        false,
                        loop.costs(),
                        Optional.empty());
        var inputs = new ArrayList<>(count.stream().map(forwarding::of).toList());
        for (Value v : operands.subList(0, c)) inputs.add(forwarding.of(v));
        for (int i : constants) inputs.add(tangent(operands.get(i)));
        for (Value v : operands.subList(c, c + n)) inputs.add(forwarding.of(v));
        for (int i : carries) inputs.add(tangent(operands.get(i)));
        for (Value v : operands.subList(c + n, operands.size())) inputs.add(forwarding.of(v));
        for (int i : slices) inputs.add(tangent(operands.get(i)));
        var made = forwarding.graph().emit(op, inputs);
        var stacked = stackedFloats(body, n);
        for (int i = 0; i < outputs.size(); i++) {
            boolean isCarry = i < n;
            int at = isCarry ? carries.indexOf(c + i) : stacked.indexOf(i);
            int first = isCarry ? n : carries.size() + body.results().size();
            forwarding.put(
                    outputs.get(i),
                    made.get(isCarry ? i : carries.size() + i),
                    at < 0 ? Optional.empty() : Optional.of(made.get(first + at)));
        }
    }

    private Value tangent(Value v) {
        return forwarding
                .tangent(v)
                .orElseGet(() -> forwarding.graph().emit(new Fill(v.type(), 0)));
    }

    private static List<Integer> stackedFloats(Graph body, int carries) {
        return IntStream.range(carries, body.results().size())
                .filter(i -> isFloat(body.results().get(i)))
                .boxed()
                .toList();
    }

    private Graph iterations(Graph body, int c, int n) {
        var wrt = new ArrayList<>(constants);
        wrt.addAll(carries);
        wrt.addAll(slices);
        var pushed = Forward.pushforward(body, wrt);
        var g = new Graph.Builder();
        var params = body.params();
        var values = new ArrayList<Value>();
        var tangents = new ArrayList<Value>();
        for (Value p : params.subList(0, c)) values.add(g.param(p.type()));
        for (int i : constants) tangents.add(g.param(params.get(i).type()));
        for (Value p : params.subList(c, c + n)) values.add(g.param(p.type()));
        for (int i : carries) tangents.add(g.param(params.get(i).type()));
        for (Value p : params.subList(c + n, params.size())) values.add(g.param(p.type()));
        for (int i : slices) tangents.add(g.param(params.get(i).type()));
        values.addAll(tangents);
        var here = g.inline(pushed, values);
        int m = body.results().size();
        var found = pushed.results().stream().map(here::at).toList();
        var results = new ArrayList<>(found.subList(0, n));
        for (int i : carries) results.add(found.get(m + i - c));
        results.addAll(found.subList(n, m));
        for (int i : stackedFloats(body, n)) results.add(found.get(m + i));
        return g.build(results);
    }
}
