package dev.ebb.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.Devices;
import dev.ebb.exec.Device;
import dev.ebb.plan.schedule.Cost;

import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;

/** The option for the costs of kernels. */
class CostTextTest {

    @Test
    void typical_is_what_the_device_says() {
        Cost own = _ -> 42;
        assertThat(CostText.typical().on(device(own))).isSameAs(own);
    }

    @Test
    void anything_else_is_a_file() {
        assertThatThrownBy(() -> new CostText("no such file").on(Devices.reference()))
                .hasMessageContaining("typical, timed or a file of prices");
    }

    private static Device device(Cost cost) {
        return (Device)
                Proxy.newProxyInstance(
                        Device.class.getClassLoader(),
                        new Class<?>[] {Device.class},
                        (_, method, arguments) ->
                                method.getName().equals("cost")
                                        ? cost
                                        : method.invoke(Devices.reference(), arguments));
    }
}
