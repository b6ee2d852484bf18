package dev.ebb.plan.cost;

import dev.ebb.ir.Control;
import dev.ebb.ir.Graph;
import dev.ebb.ir.Node;
import dev.ebb.ir.math.Sha256;
import dev.ebb.plan.schedule.Cost;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * A fixed list of kernel times, with a roofline for kernels that are not on it. It never changes,
 * so plans made with it are the same on every machine; it can be written to a file and read back.
 */
public final class Prices implements Cost {
    private static final String HEADER = "ebb prices 1";

    /** The identity of an object in a text, which means nothing in another process. */
    private static final Pattern FLEETING = Pattern.compile("@[0-9a-f]{2,}|\\$\\$Lambda");

    private final String machine;
    private final TreeMap<String, Double> seconds;
    private final Roofline otherwise;
    private final Map<Node, Double> known = new ConcurrentHashMap<>();

    /**
     * A list of measured times. {@code machine} names the machine in one line; {@code seconds} has
     * the time for each {@link #key}.
     */
    public Prices(String machine, Map<String, Double> seconds, Roofline otherwise) {
        if (machine.isBlank() || machine.lines().count() != 1)
            throw new IllegalArgumentException(
                    "a machine is described in one line, not: " + machine);
        seconds.forEach(
                (key, s) -> {
                    if (!(s >= 0 && s < Double.POSITIVE_INFINITY) || !key.matches("[0-9a-f]{32}"))
                        throw new IllegalArgumentException("no price: " + key + " " + s);
                });
        this.machine = machine;
        this.seconds = new TreeMap<>(seconds);
        this.otherwise = otherwise;
    }

    @Override
    public double of(Node node) {
        return known.computeIfAbsent(
                node,
                n -> {
                    var price = seconds.get(key(n));
                    return price == null ? otherwise.of(n) : price;
                });
    }

    /** The machine on which the times were measured. */
    public String machine() {
        return machine;
    }

    /** The seconds for each {@link #key}. */
    public Map<String, Double> seconds() {
        return new TreeMap<>(seconds);
    }

    /** The cost of nodes that are not in the list. */
    public Roofline otherwise() {
        return otherwise;
    }

    /**
     * A text of everything that the time of a node depends on: its kernel and the types of its
     * operands and results.
     */
    public static String key(Node node) {
        var bytes = Sha256.start().digest(text(node).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(bytes, 0, 16);
    }

    /** Whether {@link #key} has the same meaning in another process. */
    public static boolean isLasting(Node node) {
        return !FLEETING.matcher(text(node)).find();
    }

    private static String text(Node node) {
        var kernel = node.kernel();
        var text = new StringBuilder();
        text.append(kernel).append(node.inputTypes()).append(node.outputTypes());
        if (kernel instanceof Control control) {
            for (Graph body : control.bodies())
                for (Node inner : body.nodes()) text.append('\n').append(text(inner));
        }
        return text.toString();
    }

    /** Writes the list to a file atomically. */
    public void save(Path file) throws IOException {
        var lines = new ArrayList<String>();
        lines.add(HEADER);
        lines.add(machine);
        lines.add(
                otherwise.products()
                        + " "
                        + otherwise.simple()
                        + " "
                        + otherwise.bytes()
                        + " "
                        + otherwise.start());
        seconds.forEach((key, s) -> lines.add(key + " " + s));
        lines.add(checksum(lines));
        var folder = file.toAbsolutePath().getParent();
        if (folder == null) throw new IOException(file + " cannot be the path of a file");
        Files.createDirectories(folder);
        var beside = Files.createTempFile(folder, "prices", ".part");
        try {
            Files.write(beside, lines);
            Files.move(
                    beside,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    /** Reads a file that {@link #save} wrote; refuses any other file with the reason. */
    public static Prices load(Path file) throws IOException {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (java.nio.charset.CharacterCodingException e) {
            throw new IOException(file + " is not a file of prices: it is not text", e);
        }
        int last = lines.size() - 1;
        if (last < 3 || !lines.getFirst().equals(HEADER))
            throw new IOException(file + " is not a file of prices: it does not begin like one");
        if (!lines.get(last).equals(checksum(lines.subList(0, last))))
            throw new IOException(file + " is damaged: its checksum does not match");
        try {
            var rates = lines.get(2).split(" ", -1);
            var roofline =
                    new Roofline(
                            Double.parseDouble(rates[0]),
                            Double.parseDouble(rates[1]),
                            Double.parseDouble(rates[2]),
                            Double.parseDouble(rates[3]));
            var seconds = new TreeMap<String, Double>();
            for (String line : lines.subList(3, last)) {
                int space = line.indexOf(' ');
                seconds.put(line.substring(0, space), Double.valueOf(line.substring(space + 1)));
            }
            return new Prices(lines.get(1), seconds, roofline);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new IOException(file + " is not a file of prices: " + e.getMessage(), e);
        }
    }

    private static String checksum(List<String> lines) {
        var crc = new CRC32();
        for (String line : lines) {
            crc.update(line.getBytes(StandardCharsets.UTF_8));
            crc.update('\n');
        }
        return "checksum " + Long.toHexString(crc.getValue());
    }
}
