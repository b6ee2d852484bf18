package dev.ebb.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

class FitTest {

    @Test
    void everyBudgetHolds() {
        for (var problem :
                List.of(Toy.transformerStep(4, 256, 64), Toy.unet(4, 4096), Toy.mlp(12, 1024))) {
            var curve = new Curve(problem, Toy.COST);
            long most = curve.storeAllBytes();
            long least = curve.leastBytes();
            double last = 0;
            for (int k = 0; k <= 10; k++) {
                long bytes = most - (most - least) * k / 10;
                var plan = curve.at(Budget.bytes(bytes));
                var verdict = Checker.check(plan.layout(), Toy.COST);
                assertThat(plan.layout().arenaBytes()).isLessThanOrEqualTo(bytes);
                assertThat(verdict.peak()).isLessThanOrEqualTo(plan.peakBytes());
                assertThat(verdict.peak()).isEqualTo(plan.schedule().footprint().peakBytes());
                assertThat(verdict.cost()).isEqualTo(plan.cost());
                assertThat(plan.cost())
                        .isGreaterThanOrEqualTo(last)
                        .isGreaterThanOrEqualTo(plan.lowerBound() - 1e-9);
                last = plan.cost();
            }
            assertThat(least).isLessThan(most * 3 / 4);
        }
    }

    @Test
    void sameQuestionSameAnswer() {
        var problem = Toy.transformerStep(3, 256, 64);
        var first = new Fit(Budget.share(0.6)).plan(problem, Toy.COST);
        var second = new Fit(Budget.share(0.6)).plan(Toy.transformerStep(3, 256, 64), Toy.COST);
        assertThat(second.steps()).hasToString(first.steps().toString());
    }

    @Test
    void tooSmallIsRefusedWithTheLeastThatWorks() {
        var problem = Toy.unet(3, 1024);
        assertThatThrownBy(() -> new Fit(Budget.bytes(4096)).plan(problem, Toy.COST))
                .isInstanceOfSatisfying(
                        OverBudgetException.class,
                        e -> {
                            assertThat(e)
                                    .hasMessageContaining("4096 bytes")
                                    .hasMessageContaining("reads");
                            var plan =
                                    new Fit(Budget.bytes(e.leastBytes())).decide(problem, Toy.COST);
                            assertThat(plan.peakBytes()).isEqualTo(e.leastBytes());
                            assertThatThrownBy(
                                            () ->
                                                    new Fit(Budget.bytes(e.leastBytes() - 1))
                                                            .plan(problem, Toy.COST))
                                    .isInstanceOf(OverBudgetException.class);
                        });
    }

    @Test
    void fiveThousandNodesInTime() {
        var problem = Toy.transformerStep(115, 256, 64);
        assertThat(problem.graph().nodes().size()).isBetween(4500, 6000);
        var start = spent();
        var plan = new Fit(Budget.share(0.7)).decide(problem, Toy.COST);
        assertThat(spent().minus(start)).isLessThan(Duration.ofSeconds(10));
        Checker.check(plan.layout(), Toy.COST);
        assertThat(plan.gap()).isLessThan(0.01);
    }

    /** Processor time rather than the clock's, so that a busy machine does not fail the test. */
    private static Duration spent() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }
}
