package dev.ebb.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

class JsonRecordTest {
    private enum Kind {
        PLAIN,
        WITH_MASK
    }

    private record TrainingSettings(
            int batch,
            long seed,
            double heldOut,
            String from,
            List<String> targets,
            Kind kind,
            OptionalLong leastBytes) {}

    private static final TrainingSettings FULL =
            new TrainingSettings(
                    3,
                    Long.MAX_VALUE,
                    0.1,
                    "a \"b\"",
                    List.of("q", "v"),
                    Kind.WITH_MASK,
                    OptionalLong.of(7));

    @Test
    void whatIsWrittenIsReadBack() throws FileFormatException {
        assertThat(JsonRecord.write(FULL))
                .hasToString(
                        Json.parse(
                                        """
                                        {"batch": 3, "seed": 9223372036854775807, "held_out": 0.1,
                                        "from": "a \\"b\\"", "targets": "q,v",
                                        "kind": "with_mask", "least_bytes": 7}\
                                        """)
                                .toString());
        var empty = new TrainingSettings(-1, 0, 2, "", List.of(), Kind.PLAIN, OptionalLong.empty());
        for (var settings : List.of(FULL, empty))
            assertThat(JsonRecord.read(TrainingSettings.class, JsonRecord.write(settings)))
                    .isEqualTo(settings);
    }

    @Test
    void aMemberThatIsMissingOrOfAnotherKindIsNamed() {
        var text = JsonRecord.write(FULL).toString();
        var file = Path.of("run.safetensors");
        for (var wrong :
                List.of(
                        text.replace("held_out", "held"),
                        text.replace("0.1", "\"0.1\""),
                        text.replace("0.1", "null")))
            assertThatThrownBy(() -> JsonRecord.read(TrainingSettings.class, file, wrong))
                    .isInstanceOf(FileFormatException.class)
                    .hasMessageContaining("run.safetensors")
                    .hasMessageContaining("held_out");
        assertThatThrownBy(
                        () ->
                                JsonRecord.read(
                                        TrainingSettings.class,
                                        file,
                                        text.replace("with_mask", "none")))
                .hasMessageContaining("kind");
    }
}
