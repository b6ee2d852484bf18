package dev.ebb.nn.onnx;

import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.onnx.wire.Protobuf;
import dev.ebb.nn.onnx.wire.Protobuf.Longs;
import dev.ebb.tensor.Array;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One op of a graph.
 *
 * @param place its index in the graph, from zero
 * @param within the function whose body it is from and the call, as text; empty outside functions
 * @param op the name of the op, after its domain unless that is the standard's
 * @param overload distinguishes functions of the same name; usually empty
 * @param inputs names; an empty one is an omitted input
 * @param opset the version of the standard's ops; 0 while the file is being read
 */
record OnnxNode(
        int place,
        String within,
        String name,
        String op,
        String overload,
        List<String> inputs,
        List<String> outputs,
        Map<String, Attribute> attributes,
        long opset) {

    /**
     * The value of an attribute; usually only one of the components is set.
     *
     * @param reference the attribute of the enclosing function that has the value
     */
    record Attribute(
            Optional<Float> number,
            Optional<Long> whole,
            Optional<String> text,
            Optional<Array> tensor,
            List<Float> numbers,
            List<Long> wholes,
            List<String> texts,
            Optional<OnnxGraph> graph,
            Optional<String> reference) {

        /** The same with other nodes. */
        Attribute with(OnnxGraph other) {
            return new Attribute(
                    number,
                    whole,
                    text,
                    tensor,
                    numbers,
                    wholes,
                    texts,
                    Optional.of(other),
                    reference);
        }
    }

    static OnnxNode read(Path file, Protobuf in, int place) throws FileFormatException {
        var inputs = new ArrayList<String>();
        var outputs = new ArrayList<String>();
        var attributes = new LinkedHashMap<String, Attribute>();
        var name = "";
        var op = "";
        var domain = "";
        var overload = "";
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> inputs.add(in.text());
                case 2 -> outputs.add(in.text());
                case 3 -> name = in.text();
                case 4 -> op = in.text();
                case 5 -> attribute(file, in.inside(), attributes);
                case 7 -> domain = in.text();
                case 8 -> overload = in.text();
                default -> {}
            }
        }
        return new OnnxNode(
                place,
                "",
                name,
                named(domain, op),
                overload,
                List.copyOf(inputs),
                List.copyOf(outputs),
                Map.copyOf(attributes),
                0);
    }

    /** The name of an op, after its domain unless that is the standard's. */
    static String named(String domain, String op) {
        return domain.isEmpty() || domain.equals("ai.onnx") ? op : domain + "." + op;
    }

    static void attribute(Path file, Protobuf in, Map<String, Attribute> to)
            throws FileFormatException {
        var name = "";
        Optional<Float> number = Optional.empty();
        Optional<Long> whole = Optional.empty();
        Optional<String> text = Optional.empty();
        Optional<Array> tensor = Optional.empty();
        var numbers = new Longs();
        var wholes = new Longs();
        var texts = new ArrayList<String>();
        Optional<OnnxGraph> graph = Optional.empty();
        Optional<String> reference = Optional.empty();
        for (int field = in.next(); field != 0; field = in.next()) {
            switch (field) {
                case 1 -> name = in.text();
                case 2 -> number = Optional.of(in.number());
                case 3 -> whole = Optional.of(in.whole());
                case 4 -> text = Optional.of(in.text());
                case 5 -> tensor = Optional.of(OnnxTensor.read(file, in.inside()).data());
                case 6 -> graph = Optional.of(OnnxGraph.read(file, in.inside()));
                case 10, 11 ->
                        throw new FileFormatException(
                                file, "the attribute " + name + " is a list of tensors or graphs");
                case 7 -> in.floats(numbers);
                case 8 -> in.wholes(wholes);
                case 9 -> texts.add(in.text());
                case 21 -> reference = Optional.of(in.text());
                default -> {}
            }
        }
        var floats = new ArrayList<Float>();
        for (long bits : numbers.toArray()) floats.add(Float.intBitsToFloat((int) bits));
        var longs = new ArrayList<Long>();
        for (long one : wholes.toArray()) longs.add(one);
        to.put(
                name,
                new Attribute(
                        number,
                        whole,
                        text,
                        tensor,
                        List.copyOf(floats),
                        List.copyOf(longs),
                        List.copyOf(texts),
                        graph,
                        reference.filter(r -> !r.isEmpty())));
    }

    long whole(String key, long otherwise) {
        return Optional.ofNullable(attributes.get(key)).flatMap(Attribute::whole).orElse(otherwise);
    }

    /** An integer in the range of int. */
    int integer(String key, int otherwise) {
        long value = whole(key, otherwise);
        if (value == (int) value) return (int) value;
        throw refused(key + " of " + value);
    }

    double number(String key, double otherwise) {
        return Optional.ofNullable(attributes.get(key))
                .flatMap(Attribute::number)
                .map(Float::doubleValue)
                .orElse(otherwise);
    }

    String text(String key, String otherwise) {
        return Optional.ofNullable(attributes.get(key)).flatMap(Attribute::text).orElse(otherwise);
    }

    /** The numbers of a list; empty if there is no such attribute. */
    List<Integer> list(String key) {
        return Optional.ofNullable(attributes.get(key))
                .map(Attribute::wholes)
                .orElse(List.of())
                .stream()
                .map(Math::toIntExact)
                .toList();
    }

    boolean has(String key) {
        return attributes.containsKey(key);
    }

    /** The numbers of a list of floats; empty if there is no such attribute. */
    List<Float> floats(String key) {
        return Optional.ofNullable(attributes.get(key)).map(Attribute::numbers).orElse(List.of());
    }

    /** The texts of a list; empty if there is no such attribute. */
    List<String> texts(String key) {
        return Optional.ofNullable(attributes.get(key)).map(Attribute::texts).orElse(List.of());
    }

    Optional<Array> tensor(String key) {
        return Optional.ofNullable(attributes.get(key)).flatMap(Attribute::tensor);
    }

    OnnxGraph graph(String key) {
        return Optional.ofNullable(attributes.get(key))
                .flatMap(Attribute::graph)
                .orElseThrow(() -> refused("it has no graph " + key));
    }

    boolean hasGraph() {
        return attributes.values().stream().anyMatch(a -> a.graph().isPresent());
    }

    boolean flag(String key, boolean otherwise) {
        return whole(key, otherwise ? 1 : 0) != 0;
    }

    /** The exception for this op, with its position. */
    OnnxNodeException refused(String why) {
        return new OnnxNodeException(at(why));
    }

    /** The same for a file that cannot be read. */
    FileFormatException refusedIn(Path file, String why) {
        return new FileFormatException(file, String.valueOf(refused(why).getMessage()));
    }

    OnnxNodeException refused(String why, Exception cause) {
        return new OnnxNodeException(at(why), cause);
    }

    private String at(String why) {
        return "node "
                + place
                + within
                + (name.isEmpty() ? within.isEmpty() ? "" : "," : ", " + name + ",")
                + " is "
                + op
                + ": "
                + why;
    }
}
