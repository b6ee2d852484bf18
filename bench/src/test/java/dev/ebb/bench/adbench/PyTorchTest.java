package dev.ebb.bench.adbench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.bench.PythonPeer;
import dev.ebb.cpu.Cpu;
import dev.ebb.nn.file.Safetensors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.DoubleStream;

/** Files for PyTorch's program, and what is made of its lines; a shell stands in for Python. */
class PyTorchTest {
    @TempDir Path folder;

    private PyTorch saying(String script) throws IOException {
        var program = Files.writeString(folder.resolve("program"), script);
        return new PyTorch(new PythonPeer(List.of("sh", program.toString())));
    }

    @Test
    void a_file_has_what_a_problem_is_given_and_what_ebb_computes() throws IOException {
        try (var cpu = new Cpu(1);
                var problem = Problem.complicatedHand(Hand.Data.random(30, 1500), cpu);
                var file = Safetensors.open(PeerFile.write(problem, folder.resolve("new")))) {
            var results = problem.byHand().get();
            assertThat(file.metadata())
                    .containsEntry("problem", "complicated hand")
                    .containsEntry("name", problem.name())
                    .containsEntry("stride 0", "101")
                    .containsEntry("stride 1", "1");
            assertThat(file.read("pose").toDoubles()).isEqualTo(Hand.Data.random(30, 1500).pose());
            var kept = file.read("result 0").toDoubles();
            assertThat(kept).hasSize(Math.ceilDiv(26 * 1500 * 3, 101));
            assertThat(kept[7]).isEqualTo(results.getFirst()[707], within(1e-9));
            assertThat(file.read("result 1").toDoubles()).hasSize(1500 * 6);
            var sum = DoubleStream.of(results.getFirst()).map(Math::abs).sum();
            assertThat(file.read("sum 0").toDoubles()[0]).isEqualTo(sum, within(1e-9 * sum));
        }
    }

    @Test
    void times_are_told_beside_those_of_ebb() throws IOException {
        var file = folder.resolve("a.safetensors");
        assertThat(saying("echo a warning; printf 'GMM\\t4.0\\t3.5\\t1.0e-15\\n'").beside(file, 1))
                .isEqualTo(
                        "; PyTorch 4.000 ms, Ebb 1.000 ms, 0.250 times; largest difference"
                                + " 1.0e-15");
        assertThat(saying("echo trace; echo out of memory; exit 1").beside(file, 1))
                .isEqualTo("; PyTorch FAILED: out of memory");
    }

    @Test
    void without_pytorch_nothing_is_set_beside() throws IOException {
        assertThat(saying("echo 2.11.0").isThere()).isTrue();
        assertThat(saying("echo there is no torch; exit 3").isThere()).isFalse();
        var missing = new PythonPeer(List.of(folder.resolve("nothing").toString()));
        assertThat(new PyTorch(missing).isThere()).isFalse();
    }
}
