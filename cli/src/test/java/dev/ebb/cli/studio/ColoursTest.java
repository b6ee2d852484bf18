package dev.ebb.cli.studio;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The page's colours can be distinguished by colour-blind readers, and its texts can be read:
 * differences are CIE76 in L*a*b* after the simulation of colour blindness by Machado, Oliveira and
 * Fernandes (2009), contrasts are those of WCAG 2.
 */
class ColoursTest {
    private static final Pattern COLOUR = Pattern.compile("--([\\w-]+): (#[0-9a-f]{6})");

    private static final List<String> CATEGORIES =
            List.of("parameters", "optimizer", "inputs", "activations", "gradients", "workspace");
    private static final List<String> FATES =
            List.of("held", "kept", "again", "rebuilt", "moved", "freed");

    private static final Map<String, double[][]> EYES =
            Map.of(
                    "all colours",
                    new double[][] {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                    "no red",
                    new double[][] {
                        {0.152286, 1.052583, -0.204868},
                        {0.114503, 0.786281, 0.099216},
                        {-0.003882, -0.048116, 1.051998}
                    },
                    "no green",
                    new double[][] {
                        {0.367322, 0.860646, -0.227968},
                        {0.280085, 0.672501, 0.047413},
                        {-0.011820, 0.042940, 0.968881}
                    },
                    "no blue",
                    new double[][] {
                        {1.255528, -0.076749, -0.178779},
                        {-0.078411, 0.930809, 0.147602},
                        {0.004733, 0.691367, 0.303900}
                    });

    private static Map<String, String> colours(boolean dark) throws IOException {
        var sheet = Assets.text("style.css");
        int night = sheet.indexOf("@media screen and (prefers-color-scheme: dark)");
        var found = new HashMap<String, String>();
        var matcher = COLOUR.matcher(dark ? sheet : sheet.substring(0, night));
        while (matcher.find()) found.put(matcher.group(1), matcher.group(2));
        return found;
    }

    /** The linear light of a colour: red, green and blue from 0 to 1. */
    private static double[] light(String colour) {
        var light = new double[3];
        for (int i = 0; i < 3; i++) {
            double c = Integer.parseInt(colour.substring(1 + 2 * i, 3 + 2 * i), 16) / 255.0;
            light[i] = c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
        }
        return light;
    }

    private static double[] seen(double[] light, double[][] eye) {
        var seen = new double[3];
        for (int i = 0; i < 3; i++) {
            double sum = 0;
            for (int j = 0; j < 3; j++) sum += eye[i][j] * light[j];
            seen[i] = Math.clamp(sum, 0, 1);
        }
        return seen;
    }

    private static double[] lab(double[] c) {
        double x = root((0.4124 * c[0] + 0.3576 * c[1] + 0.1805 * c[2]) / 0.9505);
        double y = root(0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]);
        double z = root((0.0193 * c[0] + 0.1192 * c[1] + 0.9505 * c[2]) / 1.089);
        return new double[] {116 * y - 16, 500 * (x - y), 200 * (y - z)};
    }

    private static double root(double t) {
        return t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16.0 / 116;
    }

    private static double difference(String a, String b, double[][] eye) {
        var p = lab(seen(light(a), eye));
        var q = lab(seen(light(b), eye));
        return Math.hypot(Math.hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
    }

    private static double luminance(String colour) {
        var c = light(colour);
        return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    }

    private static double contrast(String a, String b) {
        double one = luminance(a) + 0.05;
        double other = luminance(b) + 0.05;
        return Math.max(one, other) / Math.min(one, other);
    }

    @Test
    void kinds_of_memory_and_fates_of_values_are_told_apart() throws IOException {
        for (boolean dark : new boolean[] {false, true}) {
            var colours = colours(dark);
            for (var names : List.of(CATEGORIES, FATES)) {
                for (var a : names) {
                    for (var b : names.subList(names.indexOf(a) + 1, names.size())) {
                        EYES.forEach(
                                (who, eye) ->
                                        assertThat(difference(colours.get(a), colours.get(b), eye))
                                                .as(a + " and " + b + ", " + who)
                                                .isGreaterThan(15));
                    }
                }
            }
        }
    }

    @Test
    void texts_can_be_read() throws IOException {
        for (boolean dark : new boolean[] {false, true}) {
            var colours = colours(dark);
            for (var text : List.of("ink", "soft", "accent", "budget"))
                for (var ground : List.of("panel", "paper"))
                    assertThat(contrast(colours.get(text), colours.get(ground)))
                            .as(text + " on " + ground)
                            .isGreaterThan(4.5);
        }
    }
}
