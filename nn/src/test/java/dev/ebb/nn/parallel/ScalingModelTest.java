package dev.ebb.nn.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ScalingModelTest {
    private static final ScalingModel.Work WORK =
            new ScalingModel.Work(0.3, 0.08, 0.5, 16, 1e8, 10, 3, 1);
    private static final ScalingModel.Link FREE =
            new ScalingModel.Link(Double.POSITIVE_INFINITY, 0, 0, 0);

    @Test
    void without_an_exchange_ranks_share_the_work_and_nothing_else() {
        var model = new ScalingModel(WORK, FREE, 1, 1);
        for (int ranks = 1; ranks <= 16; ranks *= 2)
            assertThat(model.seconds(ranks)).isCloseTo((16 * 0.3 + 0.08) / ranks, within(1e-12));
    }

    @Test
    void ranks_that_share_two_cores_gain_nothing_beyond_two() {
        var model = new ScalingModel(WORK, FREE, 2, Integer.MAX_VALUE);
        assertThat(model.seconds(2)).isCloseTo(model.seconds(1) / 2, within(1e-12));
        assertThat(model.seconds(8)).isCloseTo(model.seconds(2), within(1e-12));
    }

    /** 75 MB each way at 1 GB/s: 75 ms of gathering, and 75 ms during 135 ms of backward pass. */
    @Test
    void what_fits_beside_the_backward_pass_is_not_waited_for() {
        var link = new ScalingModel.Link(1e9, 0, 0, 0);
        var step = new ScalingModel(WORK, link, 1, 1).step(4);
        assertThat(step.gather()).isCloseTo(0.075, within(1e-12));
        assertThat(step.waited()).as("the last bucket").isCloseTo(0.0075, within(1e-12));
        assertThat(step.seconds()).isCloseTo(4 * 0.3 + 0.02 + 0.0825, within(1e-12));
        var slow = new ScalingModel(WORK, new ScalingModel.Link(1e8, 0, 0, 0), 1, 1).step(4);
        assertThat(slow.waited()).isCloseTo(0.75 - 0.135, within(1e-12));
    }

    @Test
    void many_ranks_wait_for_messages_however_fast_the_wire_is() {
        var link = new ScalingModel.Link(Double.POSITIVE_INFINITY, 0, 1e-2, 0);
        var model = new ScalingModel(WORK, link, 1, 1);
        assertThat(model.seconds(16)).isGreaterThan(model.seconds(4));
    }

    /** Two messages of 1 ms to one peer, during a long backward pass: a core works for each. */
    @Test
    void processor_time_of_messages_is_never_hidden() {
        var work = new ScalingModel.Work(10, 0, 0.5, 2, 0, 2, 1, 1);
        var link = new ScalingModel.Link(Double.POSITIVE_INFINITY, 4e-3, 1e-3, 0);
        var step = new ScalingModel(work, link, 1, 1).step(2);
        assertThat(step.gather()).isCloseTo(10e-3, within(1e-12));
        assertThat(step.waited()).as("latency of one, not of both").isCloseTo(5e-3, within(1e-12));
        assertThat(step.numbers()).isCloseTo(5e-3, within(1e-12));
        var shared = new ScalingModel(work, link, 1, 2).step(2);
        assertThat(shared.compute()).as("two on one core").isCloseTo(20, within(1e-12));
        assertThat(shared.gather()).isCloseTo(12e-3, within(1e-12));
    }

    @Test
    void more_ranks_than_shards_are_refused() {
        var model = new ScalingModel(WORK, FREE, 1, 1);
        assertThatThrownBy(() -> model.step(17)).hasMessageContainingAll("17 ranks", "16 shards");
    }
}
