package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.reference.PartByPart;

import java.util.List;

class CpuPartByPartTest extends PartByPart {
    private static final Cpu CPU = new Cpu(2);

    @Override
    protected Device device() {
        return CPU;
    }

    @Override
    protected List<DType> types() {
        return List.of(DType.F64, DType.F32);
    }

    @Override
    protected int part(int rows) {
        return 256;
    }
}
