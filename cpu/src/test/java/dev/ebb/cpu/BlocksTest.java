package dev.ebb.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.CodeAttribute;

class BlocksTest {
    /** C2's FreqInlineSize: a hot method with more bytes is compiled separately, not inlined. */
    private static final int INLINED = 325;

    @ParameterizedTest
    @CsvSource({"attend/SoftmaxLanes, take", "attend/SoftmaxLanes, pull"})
    void isTooLargeToBeInlined(String type, String method) throws IOException {
        try (var in = BlocksTest.class.getResourceAsStream(type + ".class")) {
            var code =
                    ClassFile.of().parse(in.readAllBytes()).methods().stream()
                            .filter(m -> m.methodName().equalsString(method))
                            .findFirst()
                            .flatMap(m -> m.code())
                            .orElseThrow();
            assertThat(((CodeAttribute) code).codeLength()).isGreaterThan(INLINED);
        }
    }
}
