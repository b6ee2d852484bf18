package dev.ebb.nn.data;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;
import dev.ebb.nn.file.TextFile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Prompts with the responses that a model should learn: a file of lines, each a JSON object with
 * the texts {@code prompt} and {@code response}. Empty lines are skipped; any other line is refused
 * with its number.
 */
public record Instructions(List<Example> examples) {

    public Instructions {
        examples = List.copyOf(examples);
    }

    private static final Set<String> KEYS = Set.of("prompt", "response");

    public record Example(String prompt, String response) {}

    public static Instructions read(Path file) throws IOException {
        return parse(file, TextFile.read(file));
    }

    /** Reads {@code text}, the content of {@code file}. */
    public static Instructions parse(Path file, String text) throws FileFormatException {
        var examples = new ArrayList<Example>();
        var lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++)
            if (!lines.get(i).isBlank()) examples.add(example(file, lines.get(i), i + 1));
        if (examples.isEmpty()) throw new FileFormatException(file, "it holds no instructions");
        return new Instructions(examples);
    }

    private static Example example(Path file, String line, int number) throws FileFormatException {
        Json json;
        try {
            json = Json.parse(line);
        } catch (FileFormatException e) {
            throw new FileFormatException(file, "line " + number + ": " + e.getMessage(), e);
        }
        if (json instanceof Json.Obj(var members))
            for (var key : members.sequencedKeySet())
                if (!KEYS.contains(key))
                    throw new FileFormatException(
                            file,
                            ("line %s has \"%s\", which is not used; put what counts into the"
                                            + " prompt, and take the rest out")
                                    .formatted(number, key));
        var example =
                new Example(
                        part(file, json, "prompt", number), part(file, json, "response", number));
        if (example.response.isEmpty())
            throw new FileFormatException(
                    file, "line " + number + ": the response is empty, so nothing can be learned");
        return example;
    }

    private static String part(Path file, Json json, String key, int number)
            throws FileFormatException {
        var text = json.at(key).flatMap(Json::text);
        if (text.isPresent()) return text.get();
        throw new FileFormatException(
                file,
                ("line %s has no text \"%s\"; a line is {\"prompt\": \"...\", \"response\":"
                                + " \"...\"}")
                        .formatted(number, key));
    }
}
