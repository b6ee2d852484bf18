package dev.ebb.nn.model;

import java.util.Locale;
import java.util.regex.Pattern;

/** The sizes of a GPT to be trained from scratch, and of its batches. */
public record ModelSize(int layers, int width, int heads, int context, int batch) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,4})x(\\d{1,6})x(\\d{1,4})");

    /** The sizes named by a text: tiny, small, medium, large or LAYERSxWIDTHxHEADS. */
    public static ModelSize of(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "tiny" -> new ModelSize(2, 64, 4, 64, 8);
            case "small" -> new ModelSize(4, 128, 4, 128, 16);
            case "medium" -> new ModelSize(4, 256, 4, 256, 8);
            case "large" -> new ModelSize(8, 512, 8, 256, 8);
            default -> spelled(text);
        };
    }

    private static ModelSize spelled(String text) {
        var form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "'"
                            + text
                            + "' is no model; name tiny, small, medium or large, or write"
                            + " LAYERSxWIDTHxHEADS, such as 4x128x4");
        }
        int layers = Integer.parseInt(form.group(1));
        int width = Integer.parseInt(form.group(2));
        int heads = Integer.parseInt(form.group(3));
        if (layers < 1 || heads < 1 || width < 1 || width % heads != 0) {
            throw new IllegalArgumentException(
                    "'" + text + "': the width must divide into the heads, and all be positive");
        }
        return new ModelSize(layers, width, heads, 128, 16);
    }
}
