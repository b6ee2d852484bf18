package dev.ebb.bench.adbench;

import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.SequencedMap;

/**
 * Hand tracking: the distances between vertices of a posed hand and measured points. A pose is 26
 * numbers: a rotation of the whole hand (axis times angle), a translation, and four angles for each
 * of five fingers. Bones are the wrist, the chains of the five fingers, and the forearm; a vertex
 * moves with a weighted mean of its bones. In the complicated problem a point belongs to a position
 * on a triangle, whose two coordinates are further variables.
 */
final class Hand {
    static final int POSE = 26;
    static final int FINGERS = 5;

    /**
     * The bones of a finger: the first is not rotated by the finger's angles, the second by two of
     * them, the others by one each.
     */
    static final int JOINTS = 4;

    private static final int FOREARM = 1 + FINGERS * JOINTS;
    static final int BONES = FOREARM + 1;

    private Hand() {}

    /** The index of a bone's parent, in whose frame the bone's frame is given; -1 for none. */
    static int parent(int bone) {
        if (bone == 0) return -1;
        return bone == FOREARM || bone % JOINTS == 1 ? 0 : bone - 1;
    }

    /**
     * @param base for each bone its frame in that of its parent, 3 x 4, row by row
     * @param inverse for each bone the inverse of its frame at rest, 3 x 4
     * @param vertices at rest, 3 numbers each
     * @param weights for each vertex those of all bones
     * @param measured the points, 3 numbers each
     * @param corners for each point three vertices; the simple problem uses the first
     */
    record Data(
            double[] base,
            double[] inverse,
            double[] vertices,
            double[] weights,
            double[] measured,
            int[] corners,
            double[] pose,
            double[] places) {

        static Data random(int vertices, int points) {
            var random = new Random(points);
            var weights = random.doubles((long) vertices * BONES, 0, 1).toArray();
            for (int v = 0; v < vertices; v++) {
                double sum = 0;
                for (int b = 0; b < BONES; b++) sum += weights[v * BONES + b];
                for (int b = 0; b < BONES; b++) weights[v * BONES + b] /= sum;
            }
            return new Data(
                    random.doubles(BONES * 12L, -1, 1).toArray(),
                    random.doubles(BONES * 12L, -1, 1).toArray(),
                    random.doubles(vertices * 3L, -1, 1).toArray(),
                    weights,
                    random.doubles(points * 3L, -1, 1).toArray(),
                    random.ints(points * 3L, 0, vertices).toArray(),
                    random.doubles(POSE, 0.1, 0.6).toArray(),
                    random.doubles(points * 2L, 0, 0.5).toArray());
        }

        int count() {
            return vertices.length / 3;
        }

        int points() {
            return measured.length / 3;
        }

        SequencedMap<String, Array> given() {
            var given = new LinkedHashMap<String, Array>();
            given.put("base", Array.of(Shape.of(BONES, 3, 4), base));
            given.put("inverse", Array.of(Shape.of(BONES, 3, 4), inverse));
            given.put("weighted", Array.of(Shape.of(count(), BONES * 4), weighted()));
            given.put("measured", Array.of(Shape.of(points(), 3), measured));
            given.put("pose", Array.of(pose));
            given.put("places", Array.of(Shape.of(points(), 2), places));
            given.put("corners", Array.of(Shape.of(points(), 3), corners));
            return given;
        }

        /**
         * The vertices times their weights, {@code [vertices, bones * 4]}, to be multiplied with
         * the frames.
         */
        double[] weighted() {
            var all = new double[count() * BONES * 4];
            for (int v = 0; v < count(); v++)
                for (int b = 0; b < BONES; b++)
                    for (int k = 0; k < 4; k++)
                        all[(v * BONES + b) * 4 + k] =
                                weights[v * BONES + b] * (k < 3 ? vertices[v * 3 + k] : 1);
            return all;
        }
    }

    /** The model as tensors. */
    record Model(Tensor base, Tensor inverse, Tensor weighted) {
        static Model of(Data d) {
            return new Model(
                    Array.of(Shape.of(BONES, 3, 4), d.base()),
                    Array.of(Shape.of(BONES, 3, 4), d.inverse()),
                    Array.of(Shape.of(d.count(), BONES * 4), d.weighted()));
        }
    }

    /** The products of {@code [n, 3, 4]} frames: the second is given in the first. */
    private static Tensor after(Tensor first, Tensor second) {
        var turn = first.slice(2, 0, 3);
        var moved = turn.matmul(second);
        var shift = first.slice(2, 3, 4);
        return Tensors.concat(List.of(moved.slice(2, 0, 3), moved.slice(2, 3, 4).add(shift)), 2);
    }

    /** All frames rotated about x by {@code a} and then about z by {@code b}, both {@code [n]}. */
    private static Tensor turned(Tensor frames, Tensor a, Tensor b) {
        int n = a.dim(0);
        var zero = Tensors.zeros(DType.F64, n);
        var ca = a.cos();
        var sa = a.sin();
        var cb = b.cos();
        var sb = b.sin();
        var rows =
                List.of(
                        cb,
                        sb.mul(ca).neg(),
                        sb.mul(sa),
                        zero,
                        sb,
                        cb.mul(ca),
                        cb.mul(sa).neg(),
                        zero,
                        zero,
                        sa,
                        ca,
                        zero);
        return after(frames, Tensors.stack(rows, 1).reshape(Shape.of(n, 3, 4)));
    }

    /** All vertices, {@code [vertices, 3]}. */
    static Tensor vertices(Model m, Tensor pose) {
        var angles = pose.slice(0, 6, POSE).reshape(Shape.of(FINGERS, 4));
        var none = Tensors.zeros(DType.F64, FINGERS);
        var root = m.base.slice(0, 0, 1);
        var fingers = m.base.slice(0, 1, FOREARM).reshape(Shape.of(FINGERS, JOINTS, 3, 4));
        var frames = new Tensor[JOINTS];
        for (int j = 0; j < JOINTS; j++) {
            var own = fingers.at(1, j);
            var local =
                    switch (j) {
                        case 0 -> own;
                        case 1 -> turned(own, angles.at(1, 0), angles.at(1, 1));
                        default -> turned(own, angles.at(1, j), none);
                    };
            var parent = j == 0 ? root.broadcastTo(Shape.of(FINGERS, 3, 4)) : frames[j - 1];
            frames[j] = after(parent, local);
        }
        var all =
                Tensors.concat(
                        List.of(
                                root,
                                Tensors.stack(List.of(frames), 1)
                                        .reshape(Shape.of(FINGERS * JOINTS, 3, 4)),
                                after(root, m.base.slice(0, FOREARM, BONES))),
                        0);
        var change = after(all, m.inverse);
        var columns = change.transpose().reshape(Shape.of(BONES * 4, 3));
        var posed = m.weighted.matmul(columns);
        return posed.matmul(rotation(pose.slice(0, 0, 3)).transpose()).add(pose.slice(0, 3, 6));
    }

    /** The rotation by the formula of Rodrigues, for an angle that is not zero. */
    private static Tensor rotation(Tensor r) {
        var angle = r.square().sum().sqrt();
        var axis = r.div(angle);
        var zero = Tensors.zeros(DType.F64);
        var x = axis.at(0, 0);
        var y = axis.at(0, 1);
        var z = axis.at(0, 2);
        var cross =
                Tensors.stack(List.of(zero, z.neg(), y, z, zero, x.neg(), y.neg(), x, zero), 0)
                        .reshape(Shape.of(3, 3));
        var along = axis.unsqueeze(1).mul(axis.unsqueeze(0));
        var straight = Tensors.eye(DType.F64, 3);
        return straight.mul(angle.cos())
                .add(cross.mul(angle.sin()))
                .add(along.mul(angle.cos().neg().add(1)));
    }

    /** The difference of each point from its vertex, as a function of the pose. */
    static Tensor simple(Model m, Tensor pose, Tensor measured, Tensor corner) {
        return byPose(p -> measured.sub(vertices(m, p).indexSelect(0, corner)), pose);
    }

    /**
     * The derivative {@code [26, points, 3]} with respect to the pose: all directions in one
     * evaluation of the function.
     */
    private static Tensor byPose(Fn<Tensor, Tensor> f, Tensor pose) {
        var directions = Tensors.eye(DType.F64, POSE);
        return Ebb.<Tensor, Tensor>vmap(d -> Ebb.jvp(f).apply(pose, d).tangent()).apply(directions);
    }

    /**
     * The derivatives with respect to the pose, and to the two coordinates of each point, {@code
     * [points, 3, 2]}.
     */
    record Blocks(Tensor pose, Tensor place) {}

    static Blocks complicated(
            Model m, Tensor pose, Tensor places, Tensor measured, Tensor corners) {
        var at = new Tensor[3];
        for (int k = 0; k < 3; k++) at[k] = corners.at(1, k);
        var byPose = byPose(p -> measured.sub(onTriangles(vertices(m, p), at, places)), pose);
        var fixed = vertices(m, pose);
        var corner = new Tensor[3];
        for (int k = 0; k < 3; k++) corner[k] = fixed.indexSelect(0, at[k]);
        var byPlace =
                Ebb.<List<Tensor>, Tensor>vmap(
                                one ->
                                        Ebb.<Tensor>jacobian(u -> one.get(4).sub(between(one, u)))
                                                .apply(one.get(3)))
                        .apply(List.of(corner[0], corner[1], corner[2], places, measured));
        return new Blocks(byPose, byPlace);
    }

    private static Tensor onTriangles(Tensor vertices, Tensor[] at, Tensor places) {
        var u = places.slice(1, 0, 1);
        var v = places.slice(1, 1, 2);
        return vertices.indexSelect(0, at[0])
                .mul(u)
                .add(vertices.indexSelect(0, at[1]).mul(v))
                .add(vertices.indexSelect(0, at[2]).mul(u.add(v).neg().add(1)));
    }

    private static Tensor between(List<Tensor> corners, Tensor place) {
        var u = place.at(0, 0);
        var v = place.at(0, 1);
        return corners.get(0)
                .mul(u)
                .add(corners.get(1).mul(v))
                .add(corners.get(2).mul(u.add(v).neg().add(1)));
    }
}
