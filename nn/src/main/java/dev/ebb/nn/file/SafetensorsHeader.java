package dev.ebb.nn.file;

import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.ir.Type;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * The header of a safetensors file: eight bytes of length, then JSON. It is parsed as untrusted
 * input: the length is checked against the file before memory is allocated, each tensor's bytes
 * against its shape, and all tensors together must cover the data exactly once.
 *
 * @param start of the data in the file
 */
record SafetensorsHeader(
        SequencedMap<String, Entry> entries, Map<String, String> metadata, long start) {

    /** The longest header that the format allows. */
    private static final long LONGEST = 100_000_000;

    private static final ValueLayout.OfLong LITTLE =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** One tensor: its element type by its name in the format, and bytes {@code [from, to)}. */
    record Entry(String label, Shape shape, long from, long to) {

        Type type(Path file, String name) throws FileFormatException {
            var dtype = dtype(label);
            if (dtype.isEmpty()) {
                throw new FileFormatException(
                        file,
                        ("the tensor %s is of type %s, which Ebb does not hold; save it as F32,"
                                        + " BF16 or F16")
                                .formatted(name, label));
            }
            return new Type(dtype.get(), shape);
        }
    }

    static SafetensorsHeader read(Path file, MemorySegment all, long size)
            throws FileFormatException {
        if (size < 8) {
            throw new FileFormatException(
                    file,
                    "truncated or not safetensors: it has "
                            + size
                            + " bytes, and a safetensors file starts with 8 that hold its header's"
                            + " length");
        }
        long length = all.get(LITTLE, 0);
        if (length < 0 || length > LONGEST) {
            throw new FileFormatException(
                    file,
                    ("not safetensors: its first 8 bytes claim a header of %s bytes, more than the"
                                    + " %s that the format allows")
                            .formatted(Long.toUnsignedString(length), LONGEST));
        }
        if (length > size - 8) {
            throw new FileFormatException(
                    file,
                    ("truncated: the header should have %s bytes, but the file ends after %s; fetch"
                                    + " it again")
                            .formatted(length, size - 8));
        }
        var json = json(file, all.asSlice(8, length).asByteBuffer());
        if (!(json instanceof Json.Obj(var members)))
            throw new FileFormatException(file, "the header is not a JSON object");
        long start = 8 + length;
        return checked(file, members, start, size - start);
    }

    private static Json json(Path file, ByteBuffer bytes) throws FileFormatException {
        try {
            return Json.parse(StandardCharsets.UTF_8.newDecoder().decode(bytes).toString());
        } catch (CharacterCodingException e) {
            throw new FileFormatException(file, "the header is not UTF-8", e);
        } catch (FileFormatException e) {
            throw new FileFormatException(file, "the header is " + e.getMessage(), e);
        }
    }

    private static SafetensorsHeader checked(
            Path file, Map<String, Json> members, long start, long dataBytes)
            throws FileFormatException {
        var entries = new LinkedHashMap<String, Entry>();
        Map<String, String> metadata = Map.of();
        for (var member : members.entrySet()) {
            if (member.getKey().equals("__metadata__"))
                metadata = metadata(file, member.getValue());
            else entries.put(member.getKey(), entry(file, member.getKey(), member.getValue()));
        }
        cover(file, entries, dataBytes);
        return new SafetensorsHeader(entries, metadata, start);
    }

    private static Map<String, String> metadata(Path file, Json json) throws FileFormatException {
        var notes = new LinkedHashMap<String, String>();
        if (!(json instanceof Json.Obj(var members)))
            throw new FileFormatException(file, "__metadata__ is not a JSON object");
        for (var note : members.entrySet()) {
            var text = note.getValue().text();
            if (text.isEmpty())
                throw new FileFormatException(
                        file, "__metadata__." + note.getKey() + " is no text");
            notes.put(note.getKey(), text.get());
        }
        return notes;
    }

    private static Entry entry(Path file, String name, Json json) throws FileFormatException {
        var label = json.at("dtype").flatMap(Json::text);
        var shape = json.at("shape");
        var offsets = json.at("data_offsets").map(Json::elements).orElse(List.of());
        if (label.isEmpty() || shape.isEmpty() || offsets.size() != 2) {
            throw new FileFormatException(
                    file,
                    "the header's entry for " + name + " lacks a dtype, a shape or data_offsets");
        }
        var from = offsets.get(0).whole().orElse(-1L);
        var to = offsets.get(1).whole().orElse(-1L);
        if (from < 0 || to < from) {
            throw new FileFormatException(
                    file,
                    "the tensor " + name + " claims bytes " + offsets + ", which is no range");
        }
        var entry = new Entry(label.get(), shape(file, name, shape.get()), from, to);
        var dtype = dtype(entry.label);
        if (dtype.isPresent()) {
            long bytes = dtype.get().bytes(entry.shape.size());
            if (bytes != to - from) {
                throw new FileFormatException(
                        file,
                        "the tensor %s has %s bytes, but %s takes %s"
                                .formatted(name, to - from, entry.type(file, name), bytes));
            }
        }
        return entry;
    }

    private static Shape shape(Path file, String name, Json json) throws FileFormatException {
        var dims = new ArrayList<Integer>();
        for (var d : json.elements()) {
            long dim = d.whole().orElse(-1L);
            if (dim < 0 || dim > Integer.MAX_VALUE) {
                throw new FileFormatException(
                        file, "the tensor " + name + " has the shape " + json + ", which is none");
            }
            dims.add((int) dim);
        }
        try {
            return new Shape(dims);
        } catch (ShapeException e) {
            throw new FileFormatException(file, "the tensor " + name + ": " + e.getMessage(), e);
        }
    }

    /** The tensors must cover the data without gap or overlap, and end where it ends. */
    private static void cover(Path file, Map<String, Entry> entries, long dataBytes)
            throws FileFormatException {
        var byStart =
                entries.entrySet().stream()
                        .sorted(
                                Comparator.comparingLong(
                                                (Map.Entry<String, Entry> e) -> e.getValue().from)
                                        .thenComparingLong(e -> e.getValue().to))
                        .toList();
        long end = 0;
        var before = "the start of the data";
        for (var e : byStart) {
            var entry = e.getValue();
            if (entry.from < end) {
                throw new FileFormatException(
                        file, "the tensors " + before + " and " + e.getKey() + " overlap");
            }
            if (entry.from > end) {
                throw new FileFormatException(
                        file,
                        "%s bytes between %s and %s belong to no tensor"
                                .formatted(entry.from - end, before, e.getKey()));
            }
            end = entry.to;
            before = e.getKey();
        }
        if (end > dataBytes) {
            throw new FileFormatException(
                    file,
                    ("truncated: the tensors end at byte %s of the data, with %s, but the file"
                                    + " holds %s; fetch it again")
                            .formatted(end, before, dataBytes));
        }
        if (end < dataBytes) {
            throw new FileFormatException(
                    file, (dataBytes - end) + " bytes after the last tensor belong to none");
        }
    }

    private static Optional<DType> dtype(String label) {
        return switch (label) {
            case "F32" -> Optional.of(DType.F32);
            case "F64" -> Optional.of(DType.F64);
            case "BF16" -> Optional.of(DType.BF16);
            case "F16" -> Optional.of(DType.F16);
            case "I32" -> Optional.of(DType.I32);
            case "I64" -> Optional.of(DType.I64);
            case "U8" -> Optional.of(DType.U8);
            case "BOOL" -> Optional.of(DType.BOOL);
            default -> Optional.empty();
        };
    }
}
