package dev.ebb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.Devices;

import org.junit.jupiter.api.Test;

class DevicesCommandTest {
    @Test
    void what_is_there_and_what_is_missing_is_listed() {
        var result = Shell.run("devices");
        assertThat(result.code()).isZero();
        assertThat(result.out())
                .containsPattern("(?m)^cpu +cpu with \\d+ threads")
                .containsPattern("(?m)^best +" + Devices.best().name());
        boolean card =
                Devices.all().stream()
                        .anyMatch(k -> k.name().equals("cuda") && k.device().isPresent());
        assertThat(result.out())
                .containsPattern(
                        card ? "(?m)^cuda +card 0" : "(?m)^cuda +not available: .+install");
    }

    @Test
    void a_device_that_does_not_exist_is_refused() {
        var result = Shell.run("plan", "--model", "tiny", "--device", "tpu");
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("--device tpu", "there are: cuda, cpu");
    }

    @Test
    void threads_belong_to_the_processor() {
        var result = Shell.run("train", "--device", "cuda", "--threads", "2", "--steps", "1");
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("--device");
    }

    @Test
    void a_plan_for_the_processor_can_be_asked_for() {
        var result = Shell.run("plan", "--model", "1x32x2", "--context", "16", "--device", "cpu");
        assertThat(result.err()).isEmpty();
        assertThat(result.code()).isZero();
    }
}
