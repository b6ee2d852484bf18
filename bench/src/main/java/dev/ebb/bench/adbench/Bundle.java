package dev.ebb.bench.adbench;

import dev.ebb.Ebb;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;

import java.util.LinkedHashMap;
import java.util.Random;
import java.util.SequencedMap;

/**
 * Bundle adjustment: the differences between computed and observed image positions of points. A
 * camera is a rotation (axis times angle), a centre, a focal length, a principal point and two
 * coefficients of radial distortion.
 */
final class Bundle {
    static final int CAMERA = 11;

    private Bundle() {}

    /** The inputs of one residual. */
    record ResidualInputs(Tensor camera, Tensor point, Tensor weight) {}

    /**
     * @param camera the index of the camera of each observation; {@code point}: that of the point
     */
    record Data(
            int count,
            double[] cameras,
            double[] points,
            double[] weights,
            double[] features,
            int[] camera,
            int[] point) {

        static Data random(int cameras, int points, int count) {
            var random = new Random(count);
            var camera = new int[count];
            var point = new int[count];
            for (int i = 0; i < count; i++) {
                camera[i] = i % cameras;
                point[i] = random.nextInt(points);
            }
            var poses = random.doubles((long) cameras * CAMERA, 0.1, 1).toArray();
            // rotations are small, so that every point is in front of every camera
            for (int i = 0; i < cameras; i++)
                for (int j = 0; j < 3; j++) poses[i * CAMERA + j] *= 0.1;
            return new Data(
                    count,
                    poses,
                    random.doubles(points * 3L, 2, 3).toArray(),
                    random.doubles(count, 0.5, 1).toArray(),
                    random.doubles(count * 2L, -1, 1).toArray(),
                    camera,
                    point);
        }

        Array cameraRows() {
            return Array.of(Shape.of(cameras.length / CAMERA, CAMERA), cameras);
        }

        Array pointRows() {
            return Array.of(Shape.of(points.length / 3, 3), points);
        }

        SequencedMap<String, Array> given() {
            var given = new LinkedHashMap<String, Array>();
            given.put("cameras", cameraRows());
            given.put("points", pointRows());
            given.put("weights", Array.of(weights));
            given.put("features", Array.of(Shape.of(count, 2), features));
            given.put("camera", Array.of(camera));
            given.put("point", Array.of(point));
            return given;
        }
    }

    /** The two residuals of one observation. */
    static Tensor residual(ResidualInputs seen, Tensor feature) {
        var camera = seen.camera;
        var centred = seen.point.sub(camera.slice(0, 3, 6));
        var turned = rotated(camera.slice(0, 0, 3), centred);
        var flat = turned.slice(0, 0, 2).div(turned.slice(0, 2, 3));
        var r = flat.square().sum();
        var distorted =
                flat.mul(camera.at(0, 9).mul(r).add(camera.at(0, 10).mul(r.square())).add(1));
        var found = distorted.mul(camera.at(0, 6)).add(camera.slice(0, 7, 9));
        return found.sub(feature).mul(seen.weight);
    }

    /** Rotates by the formula of Rodrigues, for an angle that is not zero. */
    private static Tensor rotated(Tensor rotation, Tensor x) {
        var angle = rotation.square().sum().sqrt();
        var axis = rotation.div(angle);
        var along = axis.mul(x).sum().mul(angle.cos().neg().add(1));
        return x.mul(angle.cos()).add(cross(axis, x).mul(angle.sin())).add(axis.mul(along));
    }

    private static Tensor cross(Tensor a, Tensor b) {
        return a.roll(-1, 0).mul(b.roll(-2, 0)).sub(a.roll(-2, 0).mul(b.roll(-1, 0)));
    }

    /** The derivatives of all residuals, each with respect to its own camera, point and weight. */
    static ResidualInputs blocks(ResidualInputs all, Tensor features) {
        return Ebb.<ResidualInputs, Tensor, ResidualInputs>vmap(
                        (ResidualInputs one, Tensor feature) ->
                                Ebb.jacobian((ResidualInputs s) -> residual(s, feature)).apply(one))
                .apply(all, features);
    }
}
