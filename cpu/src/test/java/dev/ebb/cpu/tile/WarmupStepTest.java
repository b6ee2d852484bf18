package dev.ebb.cpu.tile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests when vector loops are tried, and when they replace the plain loops. */
class WarmupStepTest {
    @Test
    void aQuickTasteBringsOnATrialAndWonTrialsTakeOver() {
        var state = new WarmupStep.State();
        state.note(false, 100, 1);
        assertThat(state.isTimeToMeasure()).as("not compiled yet").isFalse();
        state.note(false, 2, 1);
        for (int trial = 0; trial < 8; trial++) {
            assertThat(state.isHot()).isFalse();
            assertThat(state.isTimeToMeasure()).isTrue();
            state.note(true, 0.5, 1);
        }
        assertThat(state.isHot()).isTrue();
    }

    @Test
    void vectorsThatAlwaysLoseAreHardlyTriedAgain() {
        var state = new WarmupStep.State();
        state.note(false, 2, 1);
        for (int trial = 0; trial <= 1000; trial++) state.note(true, 2, 1);
        assertThat(state.isHot()).isFalse();
        assertThat(state.isTimeToMeasure()).isFalse();
    }
}
