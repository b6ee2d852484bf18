package dev.ebb.cpu;

import dev.ebb.exec.Device;
import dev.ebb.ir.DType;
import dev.ebb.reference.TiledRegions;

import java.util.List;

class CpuTiledRegionsTest extends TiledRegions {
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
    protected int tile(int rows) {
        return 256;
    }
}
