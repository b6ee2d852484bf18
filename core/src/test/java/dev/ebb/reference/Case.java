package dev.ebb.reference;

import java.util.List;

/**
 * One op with its attributes at one set of operands.
 *
 * @param inputs the operands' names, in order
 * @param vjp the operands with a first derivative
 * @param hvp the operands with a second derivative; none if the op is linear
 */
public record Case(
        String id, String op, Json attrs, List<String> inputs, List<String> vjp, List<String> hvp) {

    static List<Case> all(Tensorfile file) {
        return file.description().at("cases").items().stream().map(Case::of).toList();
    }

    private static Case of(Json c) {
        return new Case(
                c.at("id").text(),
                c.at("op").text(),
                c.at("attrs"),
                List.copyOf(c.at("inputs").members().keySet()),
                c.at("vjp").items().stream().map(Json::text).toList(),
                c.at("hvp").items().stream().map(Json::text).toList());
    }

    public double real(String name) {
        return attrs.at(name).number();
    }

    public int whole(String name) {
        return (int) real(name);
    }

    public boolean truth(String name) {
        return attrs.at(name).truth();
    }

    public String text(String name) {
        return attrs.at(name).text();
    }

    public boolean has(String name) {
        return attrs.members().containsKey(name);
    }

    /** A list of whole numbers; null in the file is every axis of an operand of this rank. */
    public List<Integer> axes(String name, int rank) {
        return attrs.at(name) instanceof Json.Nothing
                ? java.util.stream.IntStream.range(0, rank).boxed().toList()
                : wholes(name);
    }

    public List<Integer> wholes(String name) {
        return attrs.at(name).items().stream().map(i -> (int) i.number()).toList();
    }

    @Override
    public String toString() {
        return id;
    }
}
