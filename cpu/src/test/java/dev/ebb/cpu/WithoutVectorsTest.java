package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Ebb;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Java started without the vector module still computes, and logs what is missing. */
class WithoutVectorsTest {

    /** The child process. */
    public static final class Child {
        private Child() {}

        public static void main(String[] args) {
            var slope = Ebb.compile(Ebb.grad((Tensor x) -> x.square().sum())).on(new Cpu(2));
            System.out.println(slope.apply(Array.of(1.0, 2.0)));
        }
    }

    @Test
    void fallsBackAloud() throws IOException, InterruptedException, URISyntaxException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var child =
                new ProcessBuilder(java, "-cp", ChildJvm.classPath(), Child.class.getName())
                        .redirectErrorStream(true)
                        .start();
        var said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor()).as(said).isZero();
        assertThat(said).contains("jdk.incubator.vector is absent").contains("f64[2][2.0, 4.0]");
    }
}
