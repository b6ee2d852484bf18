package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Compiled;
import dev.ebb.Ebb;
import dev.ebb.ir.DType;
import dev.ebb.reference.RandomProgram;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;

/** Gradients of random programs: fused or not, on one thread or three, the same to the last bit. */
class RandomBitsTest {
    /** The number of programs for each type. */
    private static final int PROGRAMS = 30;

    private static final Cpu ONE = new Cpu(1);
    private static final Cpu THREE = new Cpu(3);

    @AfterAll
    static void close() {
        ONE.close();
        THREE.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F64", "BF16"})
    void fusingAndThreadsChangeNoBit(DType type) {
        for (int i = 0; i < PROGRAMS; i++) {
            long seed = 1000L * type.ordinal() + i;
            var program = RandomProgram.of(seed, 12);
            List<Tensor> at =
                    program.inputs().stream()
                            .<Tensor>map(a -> Array.of(a.type().with(type), a.toDoubles()))
                            .toList();
            var gradient = Ebb.compile(Ebb.grad(program));
            var plain = results(gradient.on(ONE).unfused(), at);
            same(plain, results(gradient.on(ONE), at), program);
            same(plain, results(gradient.on(THREE), at), program);
        }
    }

    private static List<Tensor> results(Compiled<List<Tensor>, List<Tensor>> f, List<Tensor> at) {
        try (f) {
            return f.apply(at);
        }
    }

    private static void same(List<Tensor> expected, List<Tensor> actual, RandomProgram program) {
        for (int i = 0; i < expected.size(); i++) {
            var a = (Array) expected.get(i);
            assertThat(a.sameBits((Array) actual.get(i)) || isAllNan(a, (Array) actual.get(i)))
                    .as("gradient %d of%n%s", i, program)
                    .isTrue();
        }
    }

    /** Whether both are NaN everywhere, because the bits of a NaN are unspecified. */
    private static boolean isAllNan(Array a, Array b) {
        for (long i = 0; i < a.type().size(); i++) {
            boolean equal =
                    Double.doubleToRawLongBits(a.data().get(i))
                            == Double.doubleToRawLongBits(b.data().get(i));
            if (!equal && !(Double.isNaN(a.data().get(i)) && Double.isNaN(b.data().get(i))))
                return false;
        }
        return true;
    }
}
