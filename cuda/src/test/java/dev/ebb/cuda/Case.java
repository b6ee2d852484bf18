package dev.ebb.cuda;

import dev.ebb.cuda.recipe.Recipe;
import dev.ebb.cuda.text.ContractText;
import dev.ebb.cuda.text.ConvolveText;
import dev.ebb.cuda.text.Products;
import dev.ebb.cuda.text.Recipes;
import dev.ebb.cuda.text.TensorConvolve;
import dev.ebb.cuda.text.attend.AttendGradText;
import dev.ebb.cuda.text.attend.AttendText;
import dev.ebb.cuda.text.attend.TensorAttend;
import dev.ebb.exec.reference.Reference;
import dev.ebb.ir.Adjoints;
import dev.ebb.ir.Buffer;
import dev.ebb.ir.DType;
import dev.ebb.ir.Kernel;
import dev.ebb.ir.Node;
import dev.ebb.ir.Op;
import dev.ebb.ir.Region;
import dev.ebb.ir.Type;
import dev.ebb.ir.Value;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * One kernel on given operands; the reference device gives the expected result.
 *
 * @param form the name under which the table counts it
 * @param tolerance error allowed, relative to the largest magnitude of the output
 */
record Case(
        String form,
        String name,
        Kernel kernel,
        List<Buffer> in,
        List<Type> out,
        double tolerance) {

    private record Bare(Kernel kernel, List<Type> outputs) implements Op {
        @Override
        public String name() {
            return "bare";
        }

        @Override
        public List<Type> infer(List<Type> inputs) {
            return outputs;
        }

        @Override
        public Kernel kernel(List<Type> inputs) {
            return kernel;
        }

        @Override
        public void pullback(Node node, Adjoints adjoints) {
            throw new UnsupportedOperationException();
        }
    }

    static Buffer buffer(DType type, long size) {
        return new Buffer(type, size, Arena.ofAuto().allocate(Math.max(64, type.bytes(size)), 64));
    }

    List<DType> inTypes() {
        return in.stream().map(Buffer::dtype).toList();
    }

    List<DType> outTypes() {
        return out.stream().map(Type::dtype).toList();
    }

    Recipe recipe(Precision precision) {
        return Recipes.of(kernel, inTypes(), outTypes(), precision).orElseThrow();
    }

    /** One way to compute a case, and its allowed error. */
    record Way(String name, Recipe recipe, double tolerance) {}

    /**
     * All ways of computing it: generated kernels, the library, tensor cores. Those listed before
     * the library are used without it.
     */
    List<Way> ways() {
        var ways = new ArrayList<Way>();
        switch (kernel) {
            case Kernel.Contract k -> {
                var type = out.getFirst().dtype();
                ways.add(new Way(form, ContractText.recipe(k, inTypes(), type), tolerance));
                for (var precision : Precision.values()) {
                    var gemm = Products.gemm(k, inTypes(), type, precision);
                    if (gemm.isEmpty()) continue;
                    boolean rounded = gemm.get().tensorFloats();
                    if (precision == Precision.TF32 && !rounded) continue;
                    ways.add(
                            new Way(
                                    form + (rounded ? " tf32" : " library"),
                                    recipe(precision),
                                    rounded ? Math.max(tolerance, TENSOR) : tolerance));
                }
            }
            case Kernel.Attend k -> {
                ways.add(new Way(form, AttendText.forward(k, inTypes(), outTypes()), tolerance));
                if (TensorAttend.fits(k, inTypes(), outTypes(), Precision.TF32)) {
                    ways.add(
                            new Way(
                                    form + " tensor",
                                    recipe(Precision.TF32),
                                    Math.max(tolerance, TENSOR)));
                }
            }
            case Kernel.AttendGrad k -> {
                ways.add(
                        new Way(
                                form,
                                AttendGradText.backward(k, inTypes(), outTypes()),
                                tolerance));
                if (TensorAttend.fits(k, inTypes(), outTypes(), Precision.TF32)) {
                    ways.add(
                            new Way(
                                    form + " tensor",
                                    recipe(Precision.TF32),
                                    Math.max(tolerance, TENSOR)));
                }
            }
            case Kernel.Convolve k -> {
                var type = out.getFirst().dtype();
                ways.add(new Way(form, ConvolveText.recipe(k, inTypes(), type), tolerance));
                if (TensorConvolve.fits(k, inTypes(), type, Precision.TF32)) {
                    ways.add(
                            new Way(
                                    form + " tensor",
                                    recipe(Precision.TF32),
                                    Math.max(tolerance, TENSOR)));
                }
            }
            default -> ways.add(new Way(form, recipe(Precision.F32), tolerance));
        }
        return ways;
    }

    /** The error of rounding the factors to ten bits of mantissa. */
    private static final double TENSOR = 3e-3;

    /** Outputs with all bits set, so that elements that are not written are noticed. */
    List<Buffer> outputs() {
        var made = new ArrayList<Buffer>();
        for (Type t : out) {
            var b = buffer(t.dtype(), t.size());
            b.segment().fill((byte) (t.dtype().isTruth() ? 1 : 0xff));
            made.add(b);
        }
        return made;
    }

    List<Buffer> expected() {
        var inputs = new ArrayList<Value>();
        for (Buffer b : in) {
            inputs.add(new Value(inputs.size(), Type.of(b.dtype(), Math.toIntExact(b.size()))));
        }
        var outputs = new ArrayList<Value>();
        for (Type t : out) outputs.add(new Value(inputs.size() + outputs.size(), t));
        var node = new Node(new Bare(kernel, out), inputs, outputs, Region.TOP, false);
        var made = outputs();
        try (var queue = new Reference().open()) {
            queue.bind(node, in, made, buffer(DType.U8, 0)).run();
        }
        return made;
    }

    /** The largest error relative to the largest magnitude of an output; integers must be equal. */
    double error(List<Buffer> actual, List<Buffer> expected) {
        double most = 0;
        for (int o = 0; o < expected.size(); o++) {
            var want = expected.get(o);
            var got = actual.get(o);
            double largest = 1e-30;
            for (long i = 0; i < want.size(); i++) {
                double x = want.get(i);
                if (Double.isFinite(x)) largest = Math.max(largest, Math.abs(x));
            }
            for (long i = 0; i < want.size(); i++) {
                if (!want.dtype().isFloat()) {
                    if (want.getLong(i) != got.getLong(i)) return Double.POSITIVE_INFINITY;
                    continue;
                }
                double x = want.get(i);
                double y = got.get(i);
                if (Double.compare(x, y) == 0 || x == y) continue;
                double miss = Math.abs(x - y) / largest;
                most = Math.max(most, Double.isNaN(miss) ? Double.POSITIVE_INFINITY : miss);
            }
        }
        return most;
    }
}
