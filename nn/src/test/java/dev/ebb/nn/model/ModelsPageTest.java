package dev.ebb.nn.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.nn.Seed;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.Safetensors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Checks the table of docs/guide/models.md against the models that are loaded and the keys that are
 * refused.
 */
final class ModelsPageTest {
    private static final Pattern REFUSED = Pattern.compile("`(\"\\w+\": [^`]+)`");

    @TempDir Path folder;

    private interface Loader {
        void load(Path file) throws IOException;
    }

    /** The test file of each family, by model_type. */
    private static final Map<String, String> FILES =
            Map.of(
                    "llama", "llama3",
                    "mistral", "mistral",
                    "qwen2", "qwen2",
                    "qwen3", "qwen3",
                    "gemma", "gemma",
                    "bert", "bert",
                    "vit", "vit");

    private static Loader loader(String named) {
        return switch (named) {
            case "`Pretrained`" -> Pretrained::load;
            case "`PretrainedEncoders.bert`" -> PretrainedEncoders::bert;
            case "`PretrainedEncoders.vit`" -> PretrainedEncoders::vit;
            default -> throw new AssertionError("the page names " + named);
        };
    }

    private Map<String, Json> config(String type) throws IOException {
        var to = folder.resolve("model.safetensors");
        if (type.equals("gpt2")) {
            var model = Gpt2.of(Gpt2.Config.of(11, 8, 16, 1, 4), new Seed(1));
            Safetensors.write(
                    to, Weights.named(model, Pretrained.naming(model).orElseThrow()), Map.of());
            return ((Json.Obj) Pretrained.config(model)).members();
        }
        var name = String.valueOf(FILES.get(type));
        Files.write(to, Files.readAllBytes(Resources.path("/models/" + name + ".safetensors")));
        var json = Json.read(Resources.path("/models/" + name + ".json"));
        return ((Json.Obj) json.at("config").orElseThrow()).members();
    }

    private void say(Map<String, Json> config) throws IOException {
        Files.writeString(folder.resolve("config.json"), Json.of(config).toString());
    }

    @Test
    void everyRowIsLoadedAndRefusesWhatItNames() throws IOException {
        var rows =
                Files.readAllLines(Path.of("../docs/guide/models.md")).stream()
                        .filter(line -> line.contains("| `"))
                        .map(line -> List.of(line.split(" \\| ", -1)))
                        .filter(row -> row.get(1).startsWith("`"))
                        .toList();
        assertThat(rows).hasSize(FILES.size() + 1);
        for (var row : rows) {
            var type = row.get(1).replace("`", "");
            var loader = loader(row.get(2));
            var config = config(type);
            assertThat(config.get("model_type")).isEqualTo(Json.of(type));
            say(config);
            loader.load(folder);
            assertThat(row.get(3)).isEqualTo(row.get(2).equals("`Pretrained`") ? "yes" : "no");
            var refused = REFUSED.matcher(row.get(4)).results().map(r -> r.group(1)).toList();
            assertThat(refused).isNotEmpty();
            for (var pair : refused) {
                var other = new LinkedHashMap<>(config);
                ((Json.Obj) Json.parse("{" + pair + "}")).members().forEach(other::put);
                say(other);
                assertThatThrownBy(() -> loader.load(folder))
                        .as(type + " with " + pair)
                        .isInstanceOf(FileFormatException.class)
                        .hasMessageContaining(pair.substring(1, pair.indexOf('"', 1)));
            }
        }
    }
}
