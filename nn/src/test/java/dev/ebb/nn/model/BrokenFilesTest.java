package dev.ebb.nn.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import dev.ebb.ir.Shape;
import dev.ebb.nn.Seed;
import dev.ebb.nn.adapt.LoraAdapters;
import dev.ebb.nn.adapt.LoraConfig;
import dev.ebb.nn.adapt.LoraFiles;
import dev.ebb.nn.data.Csv;
import dev.ebb.nn.data.ImageFolder;
import dev.ebb.nn.data.Instructions;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.nn.file.Npy;
import dev.ebb.nn.file.Safetensors;
import dev.ebb.nn.onnx.OnnxModel;
import dev.ebb.nn.tokens.Tokenizer;
import dev.ebb.tensor.Array;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

import javax.imageio.ImageIO;

/**
 * Files of every format, truncated and changed at random, are read or refused with a {@link
 * FileFormatException} that names the file. Nothing else is thrown, and the memory allocated stays
 * within a multiple of the file's size, whatever numbers the file claims.
 */
final class BrokenFilesTest {
    private static final int ROUNDS = 30;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir Path folder;

    private interface Reading {
        void read(Path file) throws IOException;
    }

    /** Writes a good file into a folder. */
    private interface Writing {
        Path write(Path folder) throws IOException;
    }

    private DynamicTest format(String name, Writing good, Reading reading) {
        return format(name, good, all -> all, (_, part) -> part, reading);
    }

    private interface Wrapping {
        byte[] whole(byte[] good, byte[] part);
    }

    /**
     * @param part the part of the file that is changed
     * @param whole the file with a changed part, and with lengths that fit it
     */
    private DynamicTest format(
            String name,
            Writing good,
            UnaryOperator<byte[]> part,
            Wrapping whole,
            Reading reading) {
        return DynamicTest.dynamicTest(
                name,
                () -> {
                    var place = Files.createDirectory(folder.resolve(name));
                    var file = good.write(place);
                    var bytes = Files.readAllBytes(file);
                    reading.read(file);
                    long usual = allocated(file, reading);
                    var mutations = new Mutations(part.apply(bytes), name.hashCode());
                    int refused = 0;
                    for (int i = 0; i < ROUNDS; i++) {
                        var broken = whole.whole(bytes, mutations.next());
                        Files.write(file, broken);
                        long before = THREADS.getCurrentThreadAllocatedBytes();
                        try {
                            reading.read(file);
                        } catch (FileFormatException e) {
                            refused++;
                            assertThat(e).hasMessageContaining(place.toString());
                        } catch (UncheckedIOException e) {
                            refused++;
                            assertThat(e.getCause())
                                    .isInstanceOf(FileFormatException.class)
                                    .hasMessageContaining(place.toString());
                        }
                        assertThat(THREADS.getCurrentThreadAllocatedBytes() - before)
                                .as("bytes allocated in round %d", i)
                                .isLessThan(4 * usual + (1 << 20) + 400L * broken.length);
                    }
                    assertThat(refused).as("files refused").isGreaterThan(ROUNDS / 10);
                });
    }

    private static long allocated(Path file, Reading reading) throws IOException {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        reading.read(file);
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    @TestFactory
    Stream<DynamicTest> formats() {
        return Stream.of(
                        files(),
                        models(),
                        Stream.of("gpt2", "unigram", "bert").map(this::tokenizer),
                        Stream.of("gpt", "resnet").map(this::onnx),
                        Stream.of("png", "jpg", "gif", "bmp").map(this::picture))
                .flatMap(s -> s);
    }

    private Stream<DynamicTest> files() {
        return Stream.of(
                format("safetensors", BrokenFilesTest::tensors, BrokenFilesTest::readAll),
                format(
                        "safetensors header",
                        BrokenFilesTest::tensors,
                        BrokenFilesTest::header,
                        BrokenFilesTest::withHeader,
                        BrokenFilesTest::readAll),
                format(
                        "npy",
                        to -> {
                            Npy.write(
                                    to.resolve("x.npy"), Array.of(Shape.of(2, 2), 1f, 2f, 3f, 4f));
                            return to.resolve("x.npy");
                        },
                        Npy::read),
                format(
                        "npz",
                        to -> {
                            var all = new LinkedHashMap<String, Array>();
                            all.put("a", Array.of(1f, 2f));
                            all.put("b", Array.of(new double[2000]));
                            Npy.writeAll(to.resolve("x.npz"), all);
                            return to.resolve("x.npz");
                        },
                        Npy::readAll),
                format(
                        "csv",
                        to ->
                                Files.writeString(
                                        to.resolve("x.csv"),
                                        "a,b,c\n1,2,\"x, \"\"y\"\"\"\n3,4.5e3,z\n5,6,é\n"),
                        file -> {
                            var csv = Csv.read(file);
                            csv.numbers("a", "b");
                            csv.classes("c");
                        }),
                format(
                        "instructions",
                        to ->
                                Files.writeString(
                                        to.resolve("x.jsonl"),
                                        "{\"prompt\": \"one\", \"response\": \"two\"}\n"
                                                + "{\"prompt\": \"é\", \"response\": \"4\"}\n"),
                        Instructions::read));
    }

    private static Path tensors(Path to) throws IOException {
        return new TinyLlama().write(to);
    }

    private static void readAll(Path file) throws IOException {
        try (var all = Safetensors.open(file)) {
            for (var name : all.names()) all.read(name);
        }
    }

    private static int headerLength(byte[] file) {
        return (int) ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    private static byte[] header(byte[] file) {
        return Arrays.copyOfRange(file, 8, 8 + headerLength(file));
    }

    private static byte[] withHeader(byte[] file, byte[] header) {
        int data = 8 + headerLength(file);
        return ByteBuffer.allocate(8 + header.length + file.length - data)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(header.length)
                .put(header)
                .put(file, data, file.length - data)
                .array();
    }

    private Stream<DynamicTest> models() {
        Reading beside = file -> Pretrained.load(file.resolveSibling("model.safetensors"));
        var llama = Llama.of(Llama.Config.of(11, 8, 8, 1, 2), new Seed(1));
        return Stream.of(
                format("index", new TinyLlama()::shard, Pretrained::load),
                format("config", to -> config(new TinyLlama(), to), beside),
                format(
                        "config of rope",
                        to ->
                                config(
                                        new TinyLlama()
                                                .say(
                                                        "rope_scaling",
                                                        "{\"rope_type\": \"llama3\", \"factor\":"
                                                            + " 8.0, \"low_freq_factor\": 1.0,"
                                                            + " \"high_freq_factor\": 4.0,"
                                                            + " \"original_max_position_embeddings\":"
                                                            + " 16}"),
                                        to),
                        beside),
                published("vit", PretrainedEncoders::vit),
                published("bert", PretrainedEncoders::bert),
                published("mistral", Pretrained::load),
                published("qwen2", Pretrained::load),
                published("qwen3", Pretrained::load),
                published("gemma", Pretrained::load),
                format(
                        "adapter config",
                        to -> adapters(to, llama).resolve(LoraFiles.CONFIG),
                        file -> LoraFiles.read(file.getParent(), llama)),
                format(
                        "adapter tensors",
                        to -> adapters(to, llama).resolve(LoraFiles.TENSORS),
                        BrokenFilesTest::header,
                        BrokenFilesTest::withHeader,
                        file -> LoraFiles.read(file.getParent(), llama)));
    }

    private static Path config(TinyLlama model, Path to) throws IOException {
        model.write(to);
        return to.resolve("config.json");
    }

    private static Path adapters(Path to, Llama model) throws IOException {
        var adapters = LoraAdapters.of(model, LoraConfig.of(2), new Seed(1));
        LoraFiles.write(to, adapters, model, "base");
        return to;
    }

    /** The config beside a published model. */
    private DynamicTest published(String name, Reading reading) {
        return format(
                "config of " + name,
                to -> {
                    var tensors = Resources.path("/models/" + name + ".safetensors");
                    Files.copy(tensors, to.resolve("model.safetensors"));
                    var json = Resources.path("/models/" + name + ".json");
                    var text = Files.readString(json);
                    int end = text.indexOf(", \"inputs\"");
                    return Files.writeString(
                            to.resolve("config.json"), text.substring(text.indexOf('{', 1), end));
                },
                file -> reading.read(file.getParent()));
    }

    private DynamicTest tokenizer(String name) {
        return format(
                "tokenizer " + name,
                to -> {
                    var packed = Resources.path("/tokens/" + name + ".json.gz");
                    try (var in = new GZIPInputStream(Files.newInputStream(packed))) {
                        return Files.write(to.resolve("tokenizer.json"), in.readAllBytes());
                    }
                },
                file -> {
                    var tokenizer = Tokenizer.load(file);
                    tokenizer.decode(tokenizer.encodeWhole("A text, to try: 12 é"));
                });
    }

    private DynamicTest onnx(String name) {
        return format(
                "onnx " + name,
                to ->
                        Files.copy(
                                Resources.path("/exports/" + name + ".onnx"), to.resolve("x.onnx")),
                OnnxModel::load);
    }

    private DynamicTest picture(String kind) {
        return format(
                "picture " + kind,
                to -> {
                    var file = Files.createDirectory(to.resolve("class")).resolve("x." + kind);
                    var picture = new BufferedImage(9, 7, BufferedImage.TYPE_INT_RGB);
                    for (int i = 0; i < 63; i++) picture.setRGB(i % 9, i / 9, i * 77_777);
                    ImageIO.write(picture, kind, file.toFile());
                    return file;
                },
                file ->
                        ImageFolder.of(file.getParent().getParent(), ImageFolder.Colors.RGB, 4, 4)
                                .read(new int[] {0}));
    }
}
