package dev.ebb.tensor.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.Differences;
import dev.ebb.Ebb;
import dev.ebb.Fn;
import dev.ebb.ir.DType;
import dev.ebb.ir.Shape;
import dev.ebb.ir.ShapeException;
import dev.ebb.tensor.Array;
import dev.ebb.tensor.Tensor;
import dev.ebb.tensor.Tensors;

import org.junit.jupiter.api.Test;

import java.util.List;

class ConvolutionTest {

    private static double[] data(Tensor t) {
        return t.toDoubles();
    }

    @Test
    void threeAxesWithPaddingOnOneSide() {
        var geometry = Conv.plain().stride(1, 2, 1).padding(List.of(1, 0, 2), List.of(0, 1, 0));
        Fn<List<Tensor>, Tensor> f = in -> in.get(0).conv3d(in.get(1), geometry);
        var x = Differences.normal(1, 1, 2, 2, 3, 2);
        var w = Differences.normal(2, 2, 2, 2, 2, 2);
        assertThat(f.apply(List.of(x, w)).shape()).isEqualTo(Shape.of(1, 2, 2, 2, 3));
        Differences.check(f, x, w);
    }

    @Test
    void aConvolutionIsItsDefinition() {
        var x = Array.of(Shape.of(1, 1, 5), 1.0, 2.0, 3.0, 4.0, 5.0);
        var w = Array.of(Shape.of(1, 1, 2), 10.0, 1.0);
        assertThat(data(x.conv1d(w, Conv.plain().dilation(2)))).containsExactly(13, 24, 35);
        assertThat(data(x.conv1d(w, Conv.plain().stride(2).padding(1)))).containsExactly(1, 23, 45);
    }

    @Test
    void theTransposeMovesAcrossTheInnerProduct() {
        var geometry = Conv.plain().stride(2).padding(1).groups(2);
        var x = Differences.normal(1, 2, 4, 7);
        var w = Differences.normal(2, 6, 2, 3);
        var y = Differences.normal(3, 2, 6, 4);
        var there = x.conv1d(w, geometry).mul(y).sum();
        var back = y.convTranspose1d(w, geometry).mul(x).sum();
        assertThat(there.item()).isCloseTo(back.item(), within(1e-12));
    }

    @Test
    void transposesOfOneAndThreeAxes() {
        var geometry = Conv.plain().stride(2).padding(1).outputPadding(1);
        Differences.check(
                in -> in.get(0).convTranspose1d(in.get(1), geometry),
                Differences.normal(1, 1, 2, 3),
                Differences.normal(2, 2, 3, 3));
        Differences.check(
                in -> in.get(0).convTranspose3d(in.get(1), Conv.plain().dilation(2)),
                Differences.normal(1, 1, 1, 1, 2, 1),
                Differences.normal(2, 1, 2, 2, 1, 2));
    }

    @Test
    void misfitsAreTold() {
        var x = Tensors.zeros(DType.F32, Shape.of(1, 4, 8, 8));
        var w = Tensors.zeros(DType.F32, Shape.of(6, 4, 3, 3));
        assertThatThrownBy(() -> x.conv2d(w, Conv.plain().groups(2)))
                .isInstanceOf(ShapeException.class)
                .hasMessageContaining("4 channels in 2 groups")
                .hasMessageContaining("must have 2");
        assertThatThrownBy(() -> x.conv2d(w, Conv.plain().dilation(4)))
                .hasMessageContaining("reaches over 9");
        assertThatThrownBy(() -> x.conv1d(w, Conv.plain())).hasMessageContaining("1 spatial axes");
        assertThatThrownBy(() -> x.conv2d(w, Conv.plain().stride(1, 1, 1)))
                .hasMessageContaining("for 2 spatial axes");
        assertThatThrownBy(() -> x.conv2d(w.cast(DType.F64), Conv.plain()))
                .hasMessageContaining("cast");
        assertThatThrownBy(() -> Conv.plain().stride(0)).hasMessageContaining("from 1 on");
        assertThatThrownBy(() -> x.addChannels(Array.of(1f, 2f))).hasMessageContaining("channel");
    }

    @Test
    void maxPoolKeepsOneByteAWindow() {
        var x = Differences.normal(1, 2, 3, 8, 8);
        var grad = Ebb.compile(Ebb.grad((Tensor t) -> t.maxPool(Pool.of(2)).square().sum()));
        var graph = grad.plan(x).schedule().problem().graph();
        var pooled = graph.nodes().stream().filter(n -> n.op().name().equals("max_pool")).toList();
        assertThat(pooled).hasSize(1);
        assertThat(pooled.getFirst().outputs().get(1).type().bytes()).isEqualTo(2 * 3 * 4 * 4);
        grad.close();
    }

    @Test
    void maxPoolOfOneAndThreeAxes() {
        var line = Array.of(Shape.of(1, 1, 5), 3.0, 1.0, 4.0, 1.0, 5.0);
        assertThat(data(line.maxPool(Pool.of(3).stride(1).padding(1))))
                .containsExactly(3, 4, 4, 5, 5);
        Differences.check(
                in -> in.getFirst().square().maxPool(Pool.of(2, 1, 2).stride(1)),
                Differences.normal(5, 1, 2, 3, 2, 3));
    }

    @Test
    void maxPoolTakesTheFirstOfEqualsAndAnyNaN() {
        var x = Array.of(Shape.of(1, 1, 4), 2.0, 2.0, 1.0, Double.NaN);
        assertThat(data(x.maxPool(Pool.of(2)))).containsExactly(2, Double.NaN);
        var g = Ebb.grad((Tensor t) -> t.maxPool(Pool.of(2)).sum()).apply(x);
        assertThat(data(g)).containsExactly(1, 0, 0, 1);
    }

    @Test
    void averagesOverOverlappingWindows() {
        var line = Array.of(Shape.of(1, 1, 4), 3.0, 6.0, 9.0, 12.0);
        assertThat(data(line.avgPool(Pool.of(3).stride(1).padding(1))))
                .containsExactly(new double[] {3, 6, 9, 7}, within(1e-12));
        assertThat(data(line.avgPool(Pool.of(3)))).containsExactly(6);
        Differences.check(
                in -> in.getFirst().square().avgPool(Pool.of(3, 2).stride(2, 1).padding(1, 0)),
                Differences.normal(5, 2, 2, 4, 3));
    }

    @Test
    void adaptiveAveragesSpanBinsThatOverlap() {
        var line = Array.of(Shape.of(1, 1, 5), 1.0, 2.0, 3.0, 4.0, 5.0);
        assertThat(data(line.adaptiveAvgPool(3))).containsExactly(1.5, 3, 4.5);
        assertThat(data(line.adaptiveAvgPool(1))).containsExactly(3);
        assertThat(line.unsqueeze(-1).adaptiveAvgPool(2, 3).shape())
                .isEqualTo(Shape.of(1, 1, 2, 3));
        Differences.check(
                in -> in.getFirst().square().adaptiveAvgPool(2, 3),
                Differences.normal(5, 1, 2, 5, 4));
    }

    @Test
    void poolsThatDoNotFitAreTold() {
        var x = Tensors.zeros(DType.F32, Shape.of(1, 1, 4, 4));
        assertThatThrownBy(() -> x.maxPool(Pool.of(17, 16))).hasMessageContaining("smaller window");
        assertThatThrownBy(() -> x.maxPool(Pool.of(2).padding(2)))
                .hasMessageContaining("half the window");
        assertThatThrownBy(() -> x.avgPool(Pool.of(5))).hasMessageContaining("smaller window");
        assertThatThrownBy(() -> x.reshape(16).maxPool(Pool.of(2)))
                .hasMessageContaining("[batch, channels]");
    }
}
