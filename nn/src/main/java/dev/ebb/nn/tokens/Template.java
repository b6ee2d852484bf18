package dev.ebb.nn.tokens;

import dev.ebb.nn.file.ConfigKeys;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Json;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The tokens added before and after a text: {@code post_processor}, for one text.
 *
 * @param before their numbers
 * @param after their numbers
 */
record Template(List<Integer> before, List<Integer> after) {
    Template {
        before = List.copyOf(before);
        after = List.copyOf(after);
    }

    static Template none() {
        return new Template(List.of(), List.of());
    }

    /** This template around {@code inner}'s tokens. */
    private Template around(Template inner) {
        var first = new ArrayList<>(before);
        first.addAll(inner.before);
        var last = new ArrayList<>(inner.after);
        last.addAll(after);
        return new Template(first, last);
    }

    static Template read(ConfigKeys keys) throws FileFormatException {
        var kind = TokenizerJson.kind(keys);
        var made =
                switch (kind) {
                    case "Sequence" -> {
                        var all = none();
                        for (var part : TokenizerJson.list(keys, "processors"))
                            all = read(part).around(all);
                        yield all;
                    }
                    case "ByteLevel" -> none();
                    case "TemplateProcessing" -> template(keys);
                    case "BertProcessing", "RobertaProcessing" ->
                            new Template(
                                    List.of(numbered(keys, "cls")), List.of(numbered(keys, "sep")));
                    default ->
                            throw keys.unknown(
                                    "type",
                                    "known are Sequence, ByteLevel, TemplateProcessing,"
                                            + " BertProcessing and RobertaProcessing");
                };
        // these change offsets, not tokens; pairs of texts are never encoded
        keys.refuseOthers(Set.of("trim_offsets", "add_prefix_space", "use_regex", "pair"));
        return made;
    }

    /** The number in a list of a text and its number. */
    private static int numbered(ConfigKeys keys, String key) throws FileFormatException {
        var items = keys.value(key).map(Json::elements).orElse(List.of());
        if (items.size() == 2 && items.get(1).whole().isPresent())
            return Math.toIntExact(items.get(1).whole().get());
        throw keys.unknown(key, "a text and its number are expected");
    }

    private static Template template(ConfigKeys keys) throws FileFormatException {
        var before = new ArrayList<Integer>();
        var after = new ArrayList<Integer>();
        var specials = keys.value("special_tokens").orElse(new Json.Nothing());
        boolean seen = false;
        for (var part : TokenizerJson.list(keys, "single")) {
            var special = part.inside("SpecialToken");
            if (special.isEmpty()) {
                seen = true;
                continue;
            }
            var name = TokenizerJson.required(special.get(), "id");
            var ids = specials.at(name).flatMap(s -> s.at("ids")).map(Json::elements);
            if (ids.isEmpty()) throw keys.unknown("special_tokens", "it has no ids of " + name);
            for (var id : ids.get()) {
                var number = id.whole().filter(n -> n >= 0 && n < Integer.MAX_VALUE);
                if (number.isEmpty())
                    throw keys.unknown("special_tokens", id + " is no number of a token");
                (seen ? after : before).add(number.get().intValue());
            }
        }
        return new Template(before, after);
    }
}
