package dev.ebb.nn.file;

import java.util.stream.Collectors;

/** Writes JSON on one line. */
final class JsonText {
    private JsonText() {}

    static String of(Json json) {
        return switch (json) {
            case Json.Obj(var members) ->
                    members.entrySet().stream()
                            .map(e -> quoted(e.getKey()) + ":" + of(e.getValue()))
                            .collect(Collectors.joining(",", "{", "}"));
            case Json.Arr(var items) ->
                    items.stream().map(JsonText::of).collect(Collectors.joining(",", "[", "]"));
            case Json.Text(var text) -> quoted(text);
            case Json.Num _, Json.Truth _, Json.Nothing _ -> json.toString();
        };
    }

    private static String quoted(String text) {
        var out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                case '\r' -> out.append("\\r");
                default -> {
                    // '<' is escaped too: the text may be embedded in a web page.
                    if (c < 0x20
                            || c == '<'
                            || c == 0x2028
                            || c == 0x2029
                            || Character.isSurrogate(c))
                        out.append(String.format("\\u%04x", (int) c));
                    else out.append(c);
                }
            }
        }
        return out.append('"').toString();
    }
}
