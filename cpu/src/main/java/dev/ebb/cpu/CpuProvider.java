package dev.ebb.cpu;

import dev.ebb.exec.DeviceProvider;

/** Provides the CPU as a device, which is always available. */
public final class CpuProvider implements DeviceProvider {

    public CpuProvider() {}

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public int rank() {
        return 1;
    }

    @Override
    public Found find() {
        var cpu = new Cpu();
        return new Here(cpu, cpu.signature());
    }
}
