package dev.ebb.nn.data;

import dev.ebb.ir.Shape;
import dev.ebb.nn.file.FileFormatException;
import dev.ebb.tensor.Array;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import javax.imageio.ImageIO;
import javax.imageio.ImageReader;

/**
 * Images in one folder per class: {@code folder/cat/1.png}. Classes are the names of the folders,
 * sorted. An image is read when its row is, and resized by linear interpolation. PNG, JPEG, GIF and
 * BMP are read by the JDK's module java.desktop; a program on the module path must request it with
 * {@code --add-modules java.desktop}.
 */
public final class ImageFolder implements Dataset {
    private static final Set<String> ENDINGS = Set.of("png", "jpg", "jpeg", "gif", "bmp");

    /** Larger images are refused: for training they would be made smaller anyway. */
    private static final long MOST_POINTS = 1L << 27;

    /** The most pixels per byte of a file: pixels of one bit, compressed as much as PNG allows. */
    private static final long POINTS_OF_A_BYTE = 8 * 1032;

    private final List<String> classes;
    private final List<Path> files;
    private final List<Integer> labels;
    private final Colors colors;
    private final int height;
    private final int width;

    /** The channels that are read. */
    public enum Colors {
        /** Red, green and blue: three channels. */
        RGB,
        /** Brightness: one channel. */
        GRAY;

        int channels() {
            return this == RGB ? 3 : 1;
        }
    }

    private ImageFolder(
            List<String> classes,
            List<Path> files,
            List<Integer> labels,
            Colors colors,
            int height,
            int width) {
        this.classes = classes;
        this.files = files;
        this.labels = labels;
        this.colors = colors;
        this.height = height;
        this.width = width;
    }

    /** Lists the images of a folder without reading them. */
    public static ImageFolder of(Path folder, Colors colors, int height, int width)
            throws IOException {
        requireReader();
        if (height < 1 || width < 1)
            throw new IllegalArgumentException("pictures of " + height + " by " + width);
        var classes = new ArrayList<String>();
        var files = new ArrayList<Path>();
        var labels = new ArrayList<Integer>();
        for (Path kind : sorted(folder)) {
            if (!Files.isDirectory(kind)) continue;
            for (Path file : sorted(kind)) {
                if (!ENDINGS.contains(ending(file))) continue;
                files.add(file);
                labels.add(classes.size());
            }
            classes.add(kind.getFileName().toString());
        }
        if (files.isEmpty()) {
            throw new FileFormatException(
                    folder,
                    "no pictures: it needs a folder for each class with files that end in "
                            + ENDINGS.stream().sorted().toList());
        }
        return new ImageFolder(classes, files, labels, colors, height, width);
    }

    private static void requireReader() {
        if (ModuleLayer.boot().findModule("java.desktop").isEmpty()) {
            throw new IllegalStateException(
                    "pictures are read by the module java.desktop, which this Java runs without;"
                            + " start it with --add-modules java.desktop");
        }
    }

    private static List<Path> sorted(Path folder) throws IOException {
        try (var entries = Files.list(folder)) {
            return entries.sorted().toList();
        }
    }

    private static String ending(Path file) {
        var name = file.getFileName().toString();
        return name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    }

    /** The names of the classes; a target is an index into this list. */
    public List<String> classes() {
        return List.copyOf(classes);
    }

    @Override
    public int rows() {
        return files.size();
    }

    /** Images as f32 from 0 to 1, [rows, channels, height, width], and their classes as i64. */
    @Override
    public Batch read(int[] rows) {
        int each = colors.channels() * height * width;
        var values = new float[rows.length * each];
        var targets = new long[rows.length];
        for (int i = 0; i < rows.length; i++) {
            requireRow(rows[i]);
            read(files.get(rows[i]), values, i * each);
            targets[i] = labels.get(rows[i]);
        }
        return new Batch(
                Array.of(Shape.of(rows.length, colors.channels(), height, width), values),
                Array.of(targets));
    }

    private void read(Path file, float[] values, int from) {
        try {
            fill(decoded(file), values, from);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static BufferedImage decoded(Path file) throws IOException {
        try (var in = ImageIO.createImageInputStream(file.toFile())) {
            var readers = ImageIO.getImageReaders(in);
            if (!readers.hasNext())
                throw new FileFormatException(file, "a picture that cannot be decoded");
            var reader = readers.next();
            try {
                reader.setInput(in, true, true);
                requireSize(file, reader);
                return reader.read(0);
            } finally {
                reader.dispose();
            }
        } catch (FileFormatException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            // the JDK's decoders throw any kind of exception on broken data
            throw new FileFormatException(file, "a picture that cannot be decoded: " + e, e);
        }
    }

    /**
     * Throws if an image claims more pixels than its bytes can encode, before memory is allocated.
     */
    private static void requireSize(Path file, ImageReader reader) throws IOException {
        long points = (long) reader.getWidth(0) * reader.getHeight(0);
        long most = Math.min(MOST_POINTS, POINTS_OF_A_BYTE * Files.size(file));
        if (points <= most) return;
        throw new FileFormatException(
                file,
                ("a picture of %s by %s points; a file of %s bytes holds at most %s, so shrink it,"
                                + " or fetch it again if it was cut")
                        .formatted(
                                reader.getWidth(0), reader.getHeight(0), Files.size(file), most));
    }

    private void fill(BufferedImage picture, float[] values, int from) {
        int plane = height * width;
        for (int i = 0; i < height; i++) {
            for (int j = 0; j < width; j++) {
                double y = (i + 0.5) * picture.getHeight() / height - 0.5;
                double x = (j + 0.5) * picture.getWidth() / width - 0.5;
                int at = from + i * width + j;
                if (colors == Colors.RGB) {
                    for (int c = 0; c < 3; c++)
                        values[at + c * plane] = (float) sample(picture, y, x, 16 - 8 * c);
                } else {
                    values[at] =
                            (float)
                                    (0.299 * sample(picture, y, x, 16)
                                            + 0.587 * sample(picture, y, x, 8)
                                            + 0.114 * sample(picture, y, x, 0));
                }
            }
        }
    }

    /** One color interpolated between the four nearest pixels, from 0 to 1. */
    private static double sample(BufferedImage picture, double y, double x, int shift) {
        int top = (int) Math.floor(y);
        int left = (int) Math.floor(x);
        double down = y - top;
        double right = x - left;
        double upper =
                mixed(
                        point(picture, top, left, shift),
                        point(picture, top, left + 1, shift),
                        right);
        double lower =
                mixed(
                        point(picture, top + 1, left, shift),
                        point(picture, top + 1, left + 1, shift),
                        right);
        return mixed(upper, lower, down) / 255;
    }

    private static double mixed(double a, double b, double share) {
        return a + (b - a) * share;
    }

    private static int point(BufferedImage picture, int y, int x, int shift) {
        int row = Math.clamp(y, 0, picture.getHeight() - 1);
        int column = Math.clamp(x, 0, picture.getWidth() - 1);
        return picture.getRGB(column, row) >> shift & 0xff;
    }
}
